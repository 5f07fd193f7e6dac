import Synchronization

/// Names to log in under, one after the other.
final class Names: Sendable {
  private let left: Mutex<[String]>
  init(_ names: [String]) { left = Mutex(names) }
  func next() -> String { left.withLock { $0.isEmpty ? "" : $0.removeFirst() } }
}
