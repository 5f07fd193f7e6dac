import Foundation
import Synchronization

/// The sessions that ended so lately that access tokens of theirs may not have expired: a token says by itself that it
/// is good, so the store has to remember those that are not any more.
final class EndedSessions: Sendable {
  private let database: any Database
  private let clock: any StoreClock
  private let ids = Mutex<Set<String>>([])

  init(database: any Database, clock: any StoreClock) {
    self.database = database
    self.clock = clock
  }

  func contains(_ session: String) -> Bool { ids.withLock { $0.contains(session) } }

  /// Reads them again, after one may have ended.
  func reload() async throws {
    let since = clock.now() - AccessToken.lifetime
    let ended = try await database.read { try SessionRecords.ended($0, since: since) }
    ids.withLock { $0 = ended }
  }
}
