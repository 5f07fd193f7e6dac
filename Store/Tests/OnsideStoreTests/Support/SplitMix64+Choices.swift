import StoreTestSupport

extension SplitMix64 {
  /// True in so many of a hundred cases.
  mutating func chance(_ percent: Int) -> Bool { pick(0...99) < percent }

  /// One of the numbers.
  mutating func pick(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &self) }

  /// One of the elements, of which there is at least one.
  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[pick(0...elements.count - 1)]
  }
}
