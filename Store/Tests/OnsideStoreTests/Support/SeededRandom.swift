import Foundation
import OnsideStore
import Synchronization

/// Randomness that is the same at every run (SplitMix64).
final class SeededRandom: RandomSource {
  private let state: Mutex<UInt64>
  private let identifiers = Mutex(UUID7Generator())

  init(seed: UInt64 = 1) {
    state = Mutex(seed)
  }

  func bytes(_ count: Int) -> [UInt8] {
    state.withLock { state in
      (0..<count).map { _ in
        state &+= 0x9e37_79b9_7f4a_7c15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return UInt8(truncatingIfNeeded: mixed ^ (mixed >> 31))
      }
    }
  }

  func uuid7(at date: Date) -> UUID {
    let random = bytes(10)
    return identifiers.withLock { $0.next(at: date, random: random) }
  }
}
