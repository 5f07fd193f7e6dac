import Synchronization

/// Random bytes from a seed, for any thread.
package final class SeededBytes: Sendable {
  private let random: Mutex<SeededRandom>

  package init(seed: UInt64) { random = Mutex(SeededRandom(seed: seed)) }

  /// One of several independent sources of one seed.
  package convenience init(seed: UInt64, stream: UInt64) { self.init(seed: seed &* 0x2545_F491_4F6C_DD1D &+ stream) }

  /// The next bytes.
  package func next(_ count: Int) -> [UInt8] {
    random.withLock { random in (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
  }
}
