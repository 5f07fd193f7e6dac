package import Foundation
package import Logging
package import OnsideAPI
package import OnsideCommerce
import Synchronization

/// The session's cache in memory, kept consistent with the session file.
package final class SessionVault: Sendable {
  private struct State {
    var cached: Session?
    /// The session that could not be saved, and what is on disk in its place.
    var unsaved: (onDisk: Session?, session: Session)?
    /// What went wrong during the change under way.
    var failure: (any Error)?

    /// What is on disk while `session` is in memory, if no other process has changed it.
    func onDisk(of session: Session) -> Session? {
      guard let unsaved, unsaved.session.fingerprint == session.fingerprint else { return session }
      return unsaved.onDisk
    }
  }

  private let file: SessionFile
  private let store: URL
  private let app: String
  private let logger: Logger
  /// Held over a file operation and the matching change in memory, and never while ``changes`` yields.
  private let state = Mutex(State())
  private let changed: AsyncStream<Void>.Continuation

  /// Yields after the session has changed in another way than by ``begin(_:)`` and ``forget()``.
  package let changes: AsyncStream<Void>

  /// Reads the session file at once, in a fraction of a millisecond, so that a stored login is known before the first
  /// call.
  package init(file: SessionFile, store: URL, app: String, logger: Logger) {
    self.file = file
    self.store = store
    self.app = app
    self.logger = logger
    (changes, changed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    change("read the stored login") { state in
      do { state.cached = usable(try file.read()) } catch { state.failure = error }
    }
  }

  /// The session as this process knows it.
  package var current: Session? { state.withLock { $0.cached } }

  /// Stores the session of a new login.
  package func begin(_ session: Session) {
    change("store the login; it is tried again at the next refresh") { state in
      abandonUnsaved(&state)
      state.cached = session
      do {
        try file.write(session)
      } catch {
        state.failure = error
        state.unsaved = (onDisk: try? file.read(), session: session)
      }
    }
  }

  /// Forgets the login.
  package func forget() {
    change("remove the stored login") { state in
      abandonUnsaved(&state)
      state.cached = nil
      do { try file.remove() } catch { state.failure = error }
    }
  }

  /// Reads the file again, because another process may have changed it, and saves what could not be saved before.
  package func reread() -> Session? {
    change("read the stored login again", telling: true) { state in
      do { try reread(&state) } catch { state.failure = error }
      return state.cached
    }
  }

  /// Stores the result of a refresh of `session`, unless the login was forgotten meanwhile: then the result is to be
  /// revoked too.
  package func refreshed(_ session: Session, to newer: Session) -> Bool {
    change("store the refreshed login; it is tried again at the next refresh", telling: true) { state in
      if state.cached?.fingerprint == session.fingerprint, save(newer, over: session, in: &state) {
        state.cached = newer
        return true
      }
      do {
        try file.setAside(newer)
        try reread(&state)
      } catch {
        state.failure = error
      }
      return false
    }
  }

  /// Removes `session`, which the store has refused for good.
  package func end(_ session: Session) {
    change("remove the refused login", telling: true) { state in
      let onDisk = state.onDisk(of: session)
      if state.unsaved?.session.fingerprint == session.fingerprint { state.unsaved = nil }
      do {
        if let onDisk { try file.remove(onDisk) }
        try reread(&state)
      } catch {
        state.failure = error
        if state.cached?.fingerprint == session.fingerprint { state.cached = nil }
      }
    }
  }

  /// Forgets `session` in memory because its key is lost. The file stays as it is: the store has refused nothing, and
  /// the key may be found again.
  package func lose(_ session: Session) {
    change("forget the login", telling: true) { state in
      if state.cached?.fingerprint == session.fingerprint { state.cached = nil }
    }
  }

  /// Stores the account's region.
  package func keep(_ country: CountryCode, of account: AccountID) {
    change("store the account's region") { state in
      guard let session = state.cached, session.signedIn.accountID == account, session.signedIn.country != country
      else { return }
      var newer = session
      newer.signedIn.country = country
      state.cached = newer
      _ = save(newer, over: session, in: &state)
    }
  }

  /// Loads the session on disk, unless the one in memory is newer, which then is saved. After a logout nothing is
  /// loaded, even if the file could not be removed.
  private func reread(_ state: inout State) throws {
    guard state.cached != nil else { return }
    if let unsaved = state.unsaved {
      let saved = try file.replace(unsaved.onDisk, with: unsaved.session)
      state.unsaved = nil
      if saved { return }
    }
    state.cached = usable(try file.read())
  }

  /// Stores `newer` in the place of `session`, or remembers to; false when another process has changed the file.
  private func save(_ newer: Session, over session: Session, in state: inout State) -> Bool {
    let onDisk = state.onDisk(of: session)
    do {
      let saved = try file.replace(onDisk, with: newer)
      state.unsaved = nil
      return saved
    } catch {
      state.failure = error
      state.unsaved = (onDisk: onDisk, session: newer)
      return true
    }
  }

  /// Sets an unsaved session aside to be revoked.
  private func abandonUnsaved(_ state: inout State) {
    if let unsaved = state.unsaved { try? file.setAside(unsaved.session) }
    state.unsaved = nil
  }

  /// The session, if it was made for this store and app.
  private func usable(_ session: Session?) -> Session? {
    session?.store == store && session?.app == app ? session : nil
  }

  /// Makes a change; afterwards logs a failure and, with `telling`, yields if the signed-in account or its region
  /// changed.
  @discardableResult
  private func change<Result: Sendable>(
    _ action: String, telling: Bool = false, _ body: (inout State) -> Result
  ) -> Result {
    let (result, failure, differs) = state.withLock { state in
      let before = state.cached?.signedIn
      state.failure = nil
      let result = body(&state)
      return (result, state.failure, state.cached?.signedIn != before)
    }
    if let failure { logger.error("expected to \(action): \(failure)") }
    if telling, differs { changed.yield() }
    return result
  }
}
