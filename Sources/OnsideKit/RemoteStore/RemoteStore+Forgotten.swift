import Foundation
import Logging
package import OnsideAPI

/// Revocation of the sessions that the device has forgotten: outstanding calls to the store are sent with them first.
extension RemoteStore {
  package func revokeForgotten(after last: @escaping @Sendable (AccountID) async -> Void) async throws(StoreError) {
    // Each session by itself: an account with outstanding calls keeps no other session alive. The first failure ends
    // the waits of the others, so that the caller's next try covers all of them. It ends no call: one that always fails
    // at once must not keep the others from being ended.
    let sessions = try forgotten()
    let failure = await withTaskGroup(of: StoreError?.self) { group -> StoreError? in
      for (name, session) in sessions {
        group.addTask {
          await last(session.signedIn.accountID)
          return Task.isCancelled ? .cancelled : await Task { await self.revoke(name) }.value
        }
      }
      for await failure in group where failure != nil {
        group.cancelAll()
        return failure
      }
      return nil
    }
    if let failure { throw failure }
  }

  /// Makes a call for an account with a session that was forgotten and is not ended yet; `.notSignedIn` without one.
  func answerForgotten(_ call: StoreConnection.Call, of account: AccountID) async throws(StoreError) {
    for (name, session) in try forgotten() where session.signedIn.accountID == account {
      do {
        return try await send(call, with: session, named: name)
      } catch {
        // The store has ended this one; there may be another.
        guard error == .notSignedIn else { throw error }
      }
    }
    throw .notSignedIn
  }

  /// A session of another store or app is its own client's to use and to end.
  private func forgotten() throws(StoreError) -> [(name: String, session: Session)] {
    do {
      return try file.leftToRevoke().filter { $0.session.store == connection.store && $0.session.app == connection.app }
    } catch {
      throw unreadable(error)
    }
  }

  private func forgotten(_ name: String) throws(StoreError) -> Session? {
    do { return try file.forgotten(name) } catch { throw unreadable(error) }
  }

  /// Worth another try: a session that cannot be read just now is not one that is gone.
  private func unreadable(_ error: any Error) -> StoreError {
    logger.error("expected to read the login that was given up: \(error)")
    return .serviceUnavailable
  }

  private func revoke(_ name: String) async -> StoreError? {
    do throws(StoreError) {
      // Another process may have ended it meanwhile.
      guard let session = try forgotten(name) else { return nil }
      if let tokens = try await tokens(of: session) { try await endpoint.revoke(tokens.refreshToken) }
      file.revoked(name)
      return nil
    } catch {
      return error
    }
  }

  private func send(
    _ call: StoreConnection.Call, with session: Session, named name: String
  ) async throws(StoreError) {
    var call = call
    guard let tokens = try await tokens(of: session) else { throw .notSignedIn }
    if session.accessTokenExpiry > dependencies.now().addingTimeInterval(RemoteSession.margin) {
      call.token = tokens.accessToken
      do {
        try await connection.answer(call)
        return
      } catch {
        guard error == .notSignedIn else { throw error }
      }
    }
    call.token = try await refresh(name, insteadOf: tokens.accessToken)
    try await connection.answer(call)
  }

  /// Gets the next tokens of a forgotten session and keeps them in its place; one process at a time.
  private func refresh(_ name: String, insteadOf rejected: AccessToken) async throws(StoreError) -> AccessToken {
    let lock: any Sendable
    do {
      lock = try await FileLock.take(file.refreshLock, now: dependencies.now, sleep: dependencies.sleep)
    } catch {
      throw .connection
    }
    defer { withExtendedLifetime(lock) {} }
    guard let session = try forgotten(name), let tokens = try await tokens(of: session) else { throw .notSignedIn }
    if tokens.accessToken != rejected { return tokens.accessToken }
    let message = try await endpoint.refresh(tokens.refreshToken)
    let newer = Session(message, store: session.store, app: session.app, now: dependencies.now())
    do {
      try file.keepForgotten(newer, as: name)
    } catch {
      logger.error("expected to store the refreshed tokens of a login that was given up: \(error)")
    }
    return AccessToken(message.accessToken)
  }

  /// Nil when they can never be opened again.
  private func tokens(of session: Session) async throws(StoreError) -> TokenPair? {
    do throws(TokenSeal.Failure) {
      if case .sealed = session.tokens { try await file.seal.prepare(.openSilently) }
      return try file.seal.tokens(of: session)
    } catch {
      guard error == .lost else { throw .serviceUnavailable }
      logger.notice(
        "A login that was given up cannot be ended at the store: its key is gone. It expires there by itself")
      return nil
    }
  }
}
