import Logging
package import OnsideAPI
package import OnsideCommerce
import Synchronization

import struct Foundation.URL

extension RemoteStore: AccountStore {
  package var signedIn: SignedIn? { vault.current?.signedIn }
  package var signedInChanges: AsyncStream<Void> { vault.changes }

  package func signIn(
    _ screens: any ScreenPresenter, _ options: SignInOptions
  ) async throws(StoreError) -> SignedIn? {
    let flow = SignInFlow(connection: connection, endpoint: endpoint, randomBytes: dependencies.randomBytes)
    let used = Mutex<URL?>(nil)
    let outcome = try await show(.login, on: screens) { [endpoint] redirect in
      used.withLock { $0 = redirect }
      return endpoint.authorization(redirect: redirect, verifier: flow.verifier, state: flow.state, options: options)
    }
    guard case .redirected(let answer) = outcome, let redirect = used.withLock({ $0 }) else { return nil }
    switch flow.code(in: answer) {
    case .failure(let refusal):
      logger.notice("a login came back without a code: \(refusal)")
      return nil
    case .success(let code):
      let message = try await exchange(code, flow, redirect)
      let session = Session(message, store: connection.store, app: connection.app, now: dependencies.now())
      guard !Task.isCancelled else {
        try? file.setAside(session)
        throw .cancelled
      }
      vault.begin(session)
      return session.signedIn
    }
  }

  package func forgetSignIn() { vault.forget() }

  package func revokeForgotten() async throws(StoreError) {
    for (name, session) in file.leftToRevoke() {
      // A session of another store or app is its own client's to revoke.
      guard session.store == connection.store, session.app == connection.app else { continue }
      try await endpoint.revoke(session.refreshToken)
      file.revoked(name)
    }
  }

  package func keepRegion(_ country: CountryCode, of account: AccountID) { vault.keep(country, of: account) }

  /// Tries again when nobody answered; a code whose first exchange did get through is refused then, and that is final.
  private func exchange(
    _ code: AuthorizationCode, _ flow: SignInFlow, _ redirect: URL
  ) async throws(StoreError) -> TokenMessage {
    do {
      return try await endpoint.exchange(code, verifier: flow.verifier, redirect: redirect)
    } catch {
      guard error.isRetryable, (try? await dependencies.sleep(1)) != nil else { throw error }
      return try await endpoint.exchange(code, verifier: flow.verifier, redirect: redirect)
    }
  }
}
