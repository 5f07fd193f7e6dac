import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#else
  import Darwin
#endif

/// A point between two steps of a purchase at which a test may end the process.
package enum Checkpoint: String, CaseIterable, Sendable {
  /// The app has called `add`.
  case added = "sdk.added"
  /// The payment is on disk.
  case journaled = "sdk.journaled"
  /// The store has made the order.
  case ordered = "sdk.ordered"
  /// The payment screen is about to open.
  case presenting = "sdk.presenting"
  /// The outcome is known.
  case settled = "sdk.settled"
  /// The observers know the outcome.
  case delivered = "sdk.delivered"
  /// The finish is on disk.
  case finishJournaled = "sdk.finishJournaled"
  /// The store knows of the finish.
  case finishSent = "sdk.finishSent"

  #if DEBUG
    /// Ends the process at once, as a power cut would, when the environment names this point in `ONSIDE_KILL_AT`.
    func killIfAsked() {
      guard ProcessInfo.processInfo.environment["ONSIDE_KILL_AT"] == rawValue else { return }
      kill(getpid(), SIGKILL)
    }
  #endif
}
