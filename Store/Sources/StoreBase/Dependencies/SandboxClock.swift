public import Foundation

/// A clock that can be moved forward, so that a sandbox lives through months in seconds. Waiting is not shortened: what
/// waits for the time of day looks again when the offset changes.
public final class SandboxClock: StoreClock {
  private let base: any StoreClock
  private let offset = ReloadedValue<Int64>(0)

  /// A clock that shows the time of `base` until it is moved.
  public init(_ base: any StoreClock) {
    self.base = base
  }

  /// How far it is ahead, in milliseconds.
  public var offsetMilliseconds: Int64 { offset.read { $0 } }

  /// Reads how far it is ahead, in milliseconds. A slow read does not overwrite what a later one has found.
  package func reloadOffset(_ read: () async throws -> Int64) async throws { try await offset.reload(read) }

  /// The moved time.
  public func now() -> Date { base.now().addingTimeInterval(Double(offsetMilliseconds) / 1000) }

  /// The clock below, if it is a machine's without its jumps.
  public var steady: SteadyClock? { base as? SteadyClock }

  /// The time of the clock below, for what is compared with other machines' clocks.
  public func unmovedNow() -> Date { base.now() }

  /// The clock below; it does not jump.
  public func uptime() -> Duration { base.uptime() }

  /// Waits in the time of the clock below.
  public func sleep(for duration: Duration) async throws { try await base.sleep(for: duration) }
}
