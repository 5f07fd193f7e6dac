package import Foundation
import StoreBase
import StoreTestSupport
import Synchronization

/// Randomness that is the same at every run.
package final class SeededRandomSource: RandomSource {
  private let random: Mutex<SplitMix64>
  private let identifiers = Mutex(UUID7Generator())

  package init(seed: UInt64 = 1) { random = Mutex(SplitMix64(seed: seed)) }

  package func bytes(_ count: Int) -> [UInt8] {
    random.withLock { random in (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
  }

  package func uuid7(at date: Date) -> UUID {
    let random = bytes(10)
    return identifiers.withLock { $0.next(at: date, random: random) }
  }
}
