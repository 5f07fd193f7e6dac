package import Foundation
import Logging
import OnsideAPI
import OnsideCommerce

/// The store over HTTP.
package final class RemoteStore: Sendable {
  let connection: StoreConnection
  let endpoint: TokenEndpoint
  let session: RemoteSession
  let file: SessionFile
  let pendingLogin: PendingLoginFile
  /// The device that consumables are delivered on.
  let installation: Installation
  let dependencies: Dependencies
  let unreadLog = UnreadLog()

  /// A store at an address, for one app.
  package init(store: URL, app: String, dependencies: Dependencies, transport: (any HTTPTransport)? = nil) {
    self.dependencies = dependencies
    connection = StoreConnection(
      store: store, app: app, transport: transport ?? URLSessionTransport(sleep: dependencies.sleep))
    endpoint = TokenEndpoint(connection)
    installation = Installation(dependencies)
    let seal = TokenSeal(app: app, dependencies: dependencies)
    file = SessionFile(seal: seal, dependencies: dependencies)
    pendingLogin = PendingLoginFile(seal: seal, dependencies: dependencies)
    let vault = SessionVault(file: file, store: store, app: app, logger: dependencies.logger)
    session = RemoteSession(vault: vault, file: file, endpoint: endpoint, dependencies: dependencies)
    if dependencies.secrets != nil { Task(priority: .utility) { try? await seal.prepare(.openSilently) } }
  }

  var vault: SessionVault { session.vault }
  var logger: Logger { dependencies.logger }

  /// Makes a call for the account; a refused token is refreshed, and the call made again, once.
  func authorized<Answer: Sendable>(
    _ call: StoreConnection.Call, _ send: (StoreConnection.Call) async throws(StoreError) -> Answer
  ) async throws(StoreError) -> Answer {
    var call = call
    let token = try await session.token()
    call.token = token
    do {
      return try await send(call)
    } catch {
      guard error == .notSignedIn else { throw error }
    }
    call.token = try await session.token(insteadOf: token)
    do {
      return try await send(call)
    } catch {
      guard error == .notSignedIn else { throw error }
      throw .internalError("expected the store to take a token that it has just issued, got 401 from \(call.path)")
    }
  }

  func authorizedValue<Answer: Decodable & Sendable>(
    _ call: StoreConnection.Call, as type: Answer.Type = Answer.self
  ) async throws(StoreError) -> Answer {
    try await authorized(call) { call throws(StoreError) in try await connection.value(call) }
  }

  func authorizedAnswer(_ call: StoreConnection.Call) async throws(StoreError) -> Data {
    try await authorized(call) { call throws(StoreError) in try await connection.answer(call) }
  }

  /// Shows a page.
  func show(
    _ screen: OnsideScreen, on screens: any ScreenPresenter, page: @escaping @Sendable (URL) async throws -> URL
  ) async throws(StoreError) -> ScreenOutcome {
    try await showing(screen, logger: logger) { try await screens.present(screen, page: page) }
  }
}
