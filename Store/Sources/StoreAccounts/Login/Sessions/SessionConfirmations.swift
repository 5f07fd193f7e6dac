package import StoreBase
import StoreWeb
import Synchronization

/// Notes the first use of each refreshed access token: it proves that the answer with it, and with the new refresh
/// token, has arrived. One write for each refresh; what is noted is remembered, so that later calls cost a look-up.
package final class SessionConfirmations: Sendable {
  /// Sessions that are remembered at most; a table that is full is emptied, and they are looked up again.
  private static let limit = 100_000

  private let database: any Database
  private let clock: any StoreClock
  private let known = Mutex<[String: Int64]>([:])

  package init(database: any Database, clock: any StoreClock) {
    self.database = database
    self.clock = clock
  }

  /// To be called with the claims of every call that shows an access token.
  func note(_ claims: AccessClaims) async {
    // Nothing came before the first generation, and older versions did not say which it is.
    guard let generation = claims.generation, generation > 1 else { return }
    let session = claims.sessionID
    guard known.withLock({ $0[session, default: 0] < generation }) else { return }
    do {
      if try await database.read({ try SessionRecords.isUnconfirmed(session, generation: generation, in: $0) }) {
        let now = clock.now()
        try await database.write(at: now) { try SessionRecords.confirm(session, generation: generation, in: $0) }
      }
    } catch {
      // The call itself is as good as before; the next one notes it.
      return
    }
    known.withLock { known in
      if known.count >= Self.limit { known = [:] }
      known[session] = generation
    }
  }
}
