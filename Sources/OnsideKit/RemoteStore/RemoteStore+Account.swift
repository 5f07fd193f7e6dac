import Logging
package import OnsideAPI
package import OnsideCommerce
import Synchronization

package import struct Foundation.URL

extension RemoteStore: AccountStore {
  package var signedIn: SignedIn? { vault.current?.signedIn }
  package var signedInChanges: AsyncStream<Void> { vault.changes }

  package func signIn(
    _ screens: any ScreenPresenter, options: SignInOptions
  ) async throws(StoreError) -> SignedIn? {
    let flow = SignInFlow(connection: connection, endpoint: endpoint, randomBytes: dependencies.randomBytes)
    let used = Mutex<URL?>(nil)
    let kept = Mutex<(any Sendable)?>(nil)
    let outcome = try await show(.login, on: screens) { [self] redirect in
      used.withLock { $0 = redirect }
      if options.isAnsweredElsewhere {
        // Without this, a login right after the start of the app would not be kept.
        try? await file.seal.prepare(.seal)
        kept.withLock { $0 = keep(flow, redirect: redirect) }
      }
      return endpoint.authorization(redirect: redirect, verifier: flow.verifier, state: flow.state, options: options)
    }
    // A login whose task was cancelled stays pending: the process may be ending, and the next one can complete it.
    if kept.withLock({ $0 }) != nil, !Task.isCancelled { pendingLogin.erase() }
    guard case .redirected(let answer) = outcome, let redirect = used.withLock({ $0 }) else { return nil }
    return try await signIn(answer, flow: flow, redirect: redirect)
  }

  package func awaits(_ answer: URL) async -> Bool {
    pendingLogin.read(answeredBy: answer, store: connection.store, app: connection.app) != nil
  }

  package func signIn(answeredWith answer: URL) async throws(StoreError) -> SignedIn? {
    try? await file.seal.prepare(.open)
    let login: PendingLogin?
    do {
      login = try pendingLogin.take(answeredBy: answer, store: connection.store, app: connection.app)
    } catch {
      logger.notice("A login that began before this start cannot be ended here: \(error)")
      return nil
    }
    guard let login, let verifier = login.verifier else { return nil }
    let flow = SignInFlow(connection: connection, endpoint: endpoint, verifier: verifier, state: login.state)
    return try await signIn(answer, flow: flow, redirect: login.redirect)
  }

  package func forgetPendingLogin() { pendingLogin.erase() }

  /// Keeps a pending login on disk, so that any process of the app can take its answer; nil when it could not be kept.
  private func keep(_ flow: SignInFlow, redirect: URL) -> (any Sendable)? {
    do {
      return try pendingLogin.keep(
        PendingLogin(
          store: connection.store, app: connection.app, redirect: redirect, state: flow.state,
          verifier: flow.verifier, expiry: dependencies.now().addingTimeInterval(LoopbackScreen.deadline)))
    } catch {
      logger.notice("The login under way ends with this process: \(error)")
      return nil
    }
  }

  private func signIn(_ answer: URL, flow: SignInFlow, redirect: URL) async throws(StoreError) -> SignedIn? {
    switch flow.code(in: answer) {
    case .failure(let refusal):
      logger.notice("a login came back without a code: \(refusal)")
      return nil
    case .success(let code):
      // The key is made ready before the exchange, so that its result is written without a wait.
      try? await file.seal.prepare(.seal)
      let message = try await exchange(code, flow: flow, redirect: redirect)
      let session = Session(message, store: connection.store, app: connection.app, now: dependencies.now())
      guard !Task.isCancelled else {
        try? file.setAside(session)
        throw .cancelled
      }
      vault.begin(session)
      return session.signedIn
    }
  }

  package func forgetSignIn() {
    vault.forget()
    pendingLogin.erase()
  }

  package func keepRegion(_ country: CountryCode, of account: AccountID) { vault.keep(country, of: account) }

  /// Exchanges a code, with one retry after a retryable failure. If the first exchange did reach the store, it refuses
  /// the code then, and that is final.
  private func exchange(
    _ code: AuthorizationCode, flow: SignInFlow, redirect: URL
  ) async throws(StoreError) -> TokenMessage {
    do {
      return try await endpoint.exchange(code, verifier: flow.verifier, redirect: redirect)
    } catch {
      guard error.isRetryable, (try? await dependencies.sleep(1)) != nil else { throw error }
      return try await endpoint.exchange(code, verifier: flow.verifier, redirect: redirect)
    }
  }
}
