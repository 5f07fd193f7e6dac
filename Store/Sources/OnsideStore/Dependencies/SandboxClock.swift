public import Foundation
import Synchronization

/// A clock that can be moved forward, so that a sandbox lives through months in seconds. Waiting is not shortened: what
/// waits for the time of day looks again when the offset changes.
public final class SandboxClock: StoreClock {
  private let base: any StoreClock
  private let offset = Atomic<Int64>(0)
  /// The revision of the setting that ``offset`` is of.
  private let revision = Mutex<Int64>(.min)

  /// A clock that shows the time of `base` until it is moved.
  public init(_ base: any StoreClock) {
    self.base = base
  }

  /// How far it is ahead, in milliseconds.
  public var offsetMilliseconds: Int64 { offset.load(ordering: .relaxed) }

  /// Sets how far it is ahead, in milliseconds, unless it is known from a later revision of the setting: one that was
  /// read before the clock was moved must not set it back.
  public func setOffset(milliseconds: Int64, asOf revision: Int64) {
    self.revision.withLock { known in
      guard revision >= known else { return }
      known = revision
      offset.store(milliseconds, ordering: .relaxed)
    }
  }

  /// The moved time.
  public func now() -> Date { base.now().addingTimeInterval(Double(offsetMilliseconds) / 1000) }

  /// The time of the clock below, for what is compared with other machines' clocks.
  public func unmovedNow() -> Date { base.now() }

  /// The clock below; it does not jump.
  public func uptime() -> Duration { base.uptime() }

  /// Waits in the time of the clock below.
  public func sleep(for duration: Duration) async throws { try await base.sleep(for: duration) }
}
