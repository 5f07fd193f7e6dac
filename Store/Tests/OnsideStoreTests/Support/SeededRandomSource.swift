import Foundation
import OnsideStore
import StoreBase
import StoreTestSupport
import Synchronization

/// Randomness that is the same at every run.
final class SeededRandomSource: RandomSource {
  private let random: Mutex<SplitMix64>
  private let identifiers = Mutex(UUID7Generator())

  init(seed: UInt64 = 1) { random = Mutex(SplitMix64(seed: seed)) }

  func bytes(_ count: Int) -> [UInt8] {
    random.withLock { random in (0..<count).map { _ in UInt8(truncatingIfNeeded: random.next()) } }
  }

  func uuid7(at date: Date) -> UUID {
    let random = bytes(10)
    return identifiers.withLock { $0.next(at: date, random: random) }
  }
}
