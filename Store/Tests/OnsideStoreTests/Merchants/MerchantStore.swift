import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import StoreBaseTestSupport

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreMerchants

/// A store with the tests' app and another one, and calls of their merchants' servers.
struct MerchantStore: Sendable {
  static let otherApp = "io.example.tideline"

  let store: TestStore

  var keys: APIKeyService { store.core.apiKeys }

  init(configure: (inout StoreConfiguration) -> Void = { _ in }) async throws {
    store = try await TestStore(configure: configure)
    try await store.openShop()
    try await store.core.apps.register(App(id: Self.otherApp, name: "Tideline", redirectURIs: []))
  }

  /// A new key of an app.
  func key(
    _ scopes: Set<APIKeyScope> = [.read], app: String = TestShop.app.id
  ) async throws -> APIKeyToken {
    try await keys.add(app: app, name: "backend", scopes: scopes)
  }

  /// Asks for an order as a merchant's server does.
  func order(
    _ id: String = "0199c3b2-0000-7000-8000-000000000000", authorization: String?, with client: any TestClientProtocol
  ) async throws -> TestResponse {
    var headers: HTTPFields = [:]
    headers[.authorization] = authorization
    return try await client.execute(uri: Route.merchantOrder.path(id), method: .get, headers: headers)
  }

  /// Runs a test as the account of a shopper.
  func shopping(_ body: @escaping @Sendable (Shopper) async throws -> Void) async throws {
    let account = try await store.account()
    let store = store
    try await store.test { client in
      try await body(Shopper(store: store, client: client, accountID: account, country: "NL"))
    }
  }
}
