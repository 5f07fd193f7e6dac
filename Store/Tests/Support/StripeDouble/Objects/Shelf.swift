/// Objects of a kind by id, in the order in which they were made.
struct Shelf<Element: Sendable>: Sendable {
  private var elements: [String: Element] = [:]
  private(set) var ids: [String] = []

  subscript(id: String) -> Element? {
    get { elements[id] }
    set {
      if elements[id] == nil, newValue != nil { ids.append(id) }
      if newValue == nil { ids.removeAll { $0 == id } }
      elements[id] = newValue
    }
  }

  /// The newest first.
  var newest: [Element] { ids.reversed().compactMap { elements[$0] } }
  /// The oldest first.
  var all: [Element] { ids.compactMap { elements[$0] } }
}
