import Foundation
package import StoreBase

/// The sessions that ended so lately that access tokens of theirs may not have expired: a token says by itself that it
/// is good, so the store has to remember those that are not any more.
package final class RevokedSessions: Sendable {
  private let database: any Database
  private let clock: any StoreClock
  private let ids = ReloadedValue<Set<String>>([])
  /// How much the clocks of two processes may differ, in seconds.
  private static let clockTolerance = 2 * ClockDifference.refusalThreshold

  package init(database: any Database, clock: any StoreClock) {
    self.database = database
    self.clock = clock
  }

  func contains(_ session: String) -> Bool { ids.read { $0.contains(session) } }

  /// Reads them again, after one may have ended.
  package func reload() async throws {
    try await ids.reload {
      let since = clock.now() - AccessTokenIssuer.lifetime - Self.clockTolerance
      return try await database.read { try SessionRecords.revoked(since: since, in: $0) }
    }
  }
}
