import Foundation
import Logging
import OnsideAPI

/// The access tokens of the stored session, refreshed when needed: one refresh at a time, for all tasks and all
/// processes (ACC-15).
package actor RemoteSession {
  /// How long before its end a token is refreshed, in seconds: longer than a call takes.
  package static let margin = 30.0
  private static let attempts = 3

  nonisolated package let vault: SessionVault
  private let file: SessionFile
  private let endpoint: TokenEndpoint
  private let now: @Sendable () -> Date
  private let sleep: @Sendable (Double) async throws -> Void
  private let logger: Logger
  private var refreshing: Task<Result<AccessToken, StoreError>, Never>?

  package init(
    vault: SessionVault, file: SessionFile, endpoint: TokenEndpoint, dependencies: Dependencies
  ) {
    self.vault = vault
    self.file = file
    self.endpoint = endpoint
    now = dependencies.now
    sleep = dependencies.sleep
    logger = dependencies.logger
  }

  /// A token that has not expired. `rejected` is one that the store has just refused.
  package func token(insteadOf rejected: AccessToken? = nil) async throws(StoreError) -> AccessToken {
    guard let session = vault.current else { throw .notSignedIn }
    if let token = usableToken(of: session, insteadOf: rejected) { return token }
    let task = refreshing ?? startRefresh(insteadOf: rejected)
    return try await outcome(of: task)
  }

  /// Starts a refresh that goes on when its caller is cancelled: half of a rotation is worse than none.
  private func startRefresh(insteadOf rejected: AccessToken?) -> Task<Result<AccessToken, StoreError>, Never> {
    let task = Task {
      let result = await refresh(insteadOf: rejected)
      refreshing = nil
      return result
    }
    refreshing = task
    return task
  }

  /// Waits for a refresh for as long as the caller does: unlike a task's value, a stream ends when its reader is
  /// cancelled.
  private func outcome(of refresh: Task<Result<AccessToken, StoreError>, Never>) async throws(StoreError) -> AccessToken
  {
    let (results, result) = AsyncStream.makeStream(of: Result<AccessToken, StoreError>.self)
    Task {
      result.yield(await refresh.value)
      result.finish()
    }
    for await result in results { return try result.get() }
    throw .cancelled
  }

  private func usableToken(of session: Session, insteadOf rejected: AccessToken?) -> AccessToken? {
    let lasts = session.accessTokenExpiry > now().addingTimeInterval(Self.margin)
    guard lasts, let tokens = try? file.seal.tokens(of: session) else { return nil }
    return tokens.accessToken != rejected ? tokens.accessToken : nil
  }

  private func refresh(insteadOf rejected: AccessToken?) async -> Result<AccessToken, StoreError> {
    do {
      // A session that is not sealed needs no key to be opened.
      try? await file.seal.prepare(.open)
      let lock = try await FileLock.take(file.refreshLock, now: now, sleep: sleep)
      defer { withExtendedLifetime(lock) {} }
      // Another process may have refreshed, or logged out, while this one waited for the lock.
      guard let session = vault.reread() else { return .failure(.notSignedIn) }
      if let token = usableToken(of: session, insteadOf: rejected) { return .success(token) }
      return await refresh(session, with: try file.seal.tokens(of: session))
    } catch TokenSeal.Failure.unavailable {
      return .failure(.serviceUnavailable)
    } catch TokenSeal.Failure.lost {
      return lost()
    } catch is FileLock.Busy {
      return .failure(.connection)
    } catch {
      return .failure(.internalError("expected to lock the stored session: \(error)"))
    }
  }

  private func lost() -> Result<AccessToken, StoreError> {
    logger.error(
      """
      The stored login cannot be opened: the key that sealed it is missing in this system's secret store. The user \
      has not logged out and the store has refused nothing, but a new login is needed
      """)
    if let session = vault.current { vault.lose(session) }
    return .failure(.notSignedIn)
  }

  private func refresh(_ session: Session, with tokens: TokenPair) async -> Result<AccessToken, StoreError> {
    do {
      let message = try await patiently { () async throws(StoreError) in
        try await endpoint.refresh(tokens.refreshToken)
      }
      let newer = Session(message, store: session.store, app: session.app, now: now())
      return vault.refreshed(session, to: newer)
        ? .success(AccessToken(message.accessToken)) : .failure(.notSignedIn)
    } catch {
      if error == .notSignedIn {
        logger.notice("The store has ended the login: it refused the refresh token (invalid_grant)")
        vault.end(session)
      }
      return .failure(error)
    }
  }

  /// Repeats a request without an answer at once: the store gives a lost answer again for a short while only.
  private func patiently<Value: Sendable>(
    _ body: () async throws(StoreError) -> Value
  ) async throws(StoreError) -> Value {
    for attempt in 1..<Self.attempts {
      do {
        return try await body()
      } catch {
        guard error == .connection, (try? await sleep(0.25 * Double(attempt))) != nil else { throw error }
      }
    }
    return try await body()
  }
}
