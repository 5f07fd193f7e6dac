import Synchronization

/// Random bytes from a seed, for any thread.
final class SeededBytes: Sendable {
  private let random: Mutex<SeededRandom>

  init(seed: UInt64) { random = Mutex(SeededRandom(seed: seed)) }

  func next(_ count: Int) -> [UInt8] {
    random.withLock { random in (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
  }
}
