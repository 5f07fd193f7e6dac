import Foundation

/// The sessions that ended so lately that access tokens of theirs may not have expired: a token says by itself that it
/// is good, so the store has to remember those that are not any more.
final class RevokedSessions: Sendable {
  private let database: any Database
  private let clock: any StoreClock
  private let oldestToken: @Sendable () -> Date
  private let ids = ReloadedValue<Set<String>>([])
  /// How much the clocks of two processes may differ, in seconds.
  private static let clockTolerance = 2 * ClockDifference.refusalThreshold

  /// - Parameter oldestToken: the time from which valid access tokens can have been made. Sessions that ended before it
  ///   need no row in memory: after a leak that is all of them.
  init(
    database: any Database, clock: any StoreClock, oldestToken: @escaping @Sendable () -> Date = { .distantPast }
  ) {
    self.database = database
    self.clock = clock
    self.oldestToken = oldestToken
  }

  func contains(_ session: String) -> Bool { ids.read { $0.contains(session) } }

  /// Reads them again, after one may have ended.
  func reload() async throws {
    try await ids.reload {
      let since = max(clock.now() - AccessTokenIssuer.lifetime - Self.clockTolerance, oldestToken())
      return try await database.read { try SessionRecords.revoked(since: since, in: $0) }
    }
  }
}
