import Foundation

#if DEBUG
  import Synchronization
#endif

/// A named place where a test may kill the process, to prove that nothing is lost there. With `ONSIDE_KILL_AT` set to
/// the name, a debug build ends here as `kill -9` would; with a number behind it, as in `payment.afterCommit:40`, when
/// it comes here for the 40th time. Release builds have nothing here.
@inline(__always)
package func checkpoint(_ name: StaticString) {
  #if DEBUG
    guard let wanted = KillPlace.wanted, wanted.name == "\(name)", wanted.isReached() else { return }
    kill(getpid(), SIGKILL)
  #endif
}

#if DEBUG
  /// A checkpoint at which the process is killed, and at which of its visits.
  private final class KillPlace: Sendable {
    static let wanted = ProcessInfo.processInfo.environment["ONSIDE_KILL_AT"].map(KillPlace.init)

    let name: Substring
    private let visitsLeft: Atomic<Int>

    init(_ text: String) {
      let parts = text.split(separator: ":")
      name = parts.first ?? ""
      visitsLeft = Atomic(parts.count > 1 ? Int(parts[1]) ?? 1 : 1)
    }

    /// Counts a visit.
    func isReached() -> Bool { visitsLeft.subtract(1, ordering: .relaxed).newValue <= 0 }
  }
#endif
