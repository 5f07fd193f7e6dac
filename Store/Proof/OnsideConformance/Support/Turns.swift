/// Elements, each in its turn.
struct Turns<Element: Sendable>: Sendable {
  private let elements: [Element]
  private var taken = 0

  init(_ elements: [Element] = []) { self.elements = elements }

  /// The element whose turn it is; nil without any.
  mutating func next() -> Element? {
    guard !elements.isEmpty else { return nil }
    defer { taken += 1 }
    return elements[taken % elements.count]
  }
}
