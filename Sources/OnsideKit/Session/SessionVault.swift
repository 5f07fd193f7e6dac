package import Foundation
package import Logging
package import OnsideAPI
package import OnsideCommerce
import Synchronization

/// The session in memory, in step with the one on disk.
package final class SessionVault: Sendable {
  private let file: SessionFile
  private let store: URL
  private let app: String
  private let logger: Logger
  private let cached: Mutex<Session?>
  private let changed: AsyncStream<Void>.Continuation

  /// Yields after the session has changed in another way than by ``begin(_:)`` and ``forget()``.
  package let changes: AsyncStream<Void>

  /// Reads the one small file at once, in a fraction of a millisecond, so that a stored login is known before anybody
  /// asks.
  package init(file: SessionFile, store: URL, app: String, logger: Logger) {
    self.file = file
    self.store = store
    self.app = app
    self.logger = logger
    (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    cached = Mutex(nil)
    let stored = usable(file.read())
    cached.withLock { $0 = stored }
  }

  /// The session as this process knows it.
  package var current: Session? { cached.withLock { $0 } }

  /// Takes in a new login.
  package func begin(_ session: Session) {
    cached.withLock { $0 = session }
    logged("store the login; it lasts until the app ends") { try file.write(session) }
  }

  /// Forgets the login.
  package func forget() {
    cached.withLock { $0 = nil }
    logged("remove the stored login") { try file.remove() }
  }

  /// Reads the file again, because another process may have changed it.
  package func reread() -> Session? {
    let stored = usable(file.read())
    let differs = cached.withLock { cached in
      defer { cached = stored }
      return cached?.signedIn != stored?.signedIn
    }
    if differs { changed.yield() }
    return stored
  }

  /// Takes in what a refresh of `session` gave, unless the login was forgotten meanwhile: then that is to be revoked too.
  package func refreshed(_ session: Session, to newer: Session) -> Bool {
    do {
      guard try file.replace(session, with: newer) else {
        try file.setAside(newer)
        _ = reread()
        return false
      }
    } catch {
      logger.error("expected to store the refreshed login: \(error)")
    }
    let kept = cached.withLock { cached in
      guard cached?.refreshToken == session.refreshToken else { return false }
      cached = newer
      return true
    }
    if kept, session.signedIn != newer.signedIn { changed.yield() }
    return kept
  }

  /// The store has refused `session` for good.
  package func end(_ session: Session) {
    do {
      try file.remove(session)
      _ = reread()
    } catch {
      logger.error("expected to remove the refused login: \(error)")
      cached.withLock { if $0?.refreshToken == session.refreshToken { $0 = nil } }
      changed.yield()
    }
  }

  /// Keeps the account's region.
  package func keep(_ country: CountryCode, of account: AccountID) {
    guard let session = current, session.signedIn.accountID == account, session.signedIn.country != country
    else { return }
    var newer = session
    newer.signedIn.country = country
    cached.withLock { if $0?.refreshToken == session.refreshToken { $0 = newer } }
    logged("store the account's region") { _ = try file.replace(session, with: newer) }
  }

  /// A session is of use to the store and the app that it was made for only.
  private func usable(_ session: Session?) -> Session? {
    session?.store == store && session?.app == app ? session : nil
  }

  private func logged(_ action: String, _ body: () throws -> Void) {
    do { try body() } catch { logger.error("expected to \(action): \(error)") }
  }
}
