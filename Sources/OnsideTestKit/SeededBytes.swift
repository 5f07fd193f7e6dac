import Synchronization

/// Random bytes that are the same for the same seed (SplitMix64).
final class SeededBytes: Sendable {
  private let state: Mutex<UInt64>

  /// - Parameters:
  ///   - seed: the session's.
  ///   - stream: tells those apart who take bytes in an order of their own.
  init(seed: UInt64, stream: UInt64) { state = Mutex(seed &* 0x2545_F491_4F6C_DD1D &+ stream) }

  func next(_ count: Int) -> [UInt8] {
    state.withLock { state in
      (0..<count).map { _ in
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return UInt8(truncatingIfNeeded: mixed ^ (mixed >> 31))
      }
    }
  }
}
