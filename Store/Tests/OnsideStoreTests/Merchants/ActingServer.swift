import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import StoreAccounts
import StoreBaseTestSupport

@testable import OnsideStore
@testable import StoreBase
@testable import StoreMerchants
@testable import StoreWeb

/// A merchant's server with an API key.
struct ActingServer: Sendable {
  let client: any TestClientProtocol
  let key: APIKeyToken

  /// A server with a new key of an app.
  init(
    _ shopper: Shopper, scopes: Set<APIKeyScope> = [.support], app: String = TestShop.app.id
  ) async throws {
    client = shopper.client
    key = try await shopper.store.core.apiKeys.add(app: app, name: "backend", scopes: scopes)
  }

  /// Requests an act.
  ///
  /// - Parameters:
  ///   - object: the id of the order, or the subject of the customer.
  ///   - name: the idempotency key; nil for a request without one.
  func act(_ route: Route, _ object: String, _ body: String = "{}", key name: String?) async throws -> TestResponse {
    var headers: HTTPFields = [.authorization: "Bearer \(key.text)", .contentType: "application/json"]
    headers[.idempotencyKey] = name
    return try await client.execute(
      uri: route.path(object), method: .post, headers: headers, body: ByteBuffer(string: body))
  }
}

extension TestStore {
  /// The rows of the audit, the newest first.
  func acts() async throws -> [AuditEntry] {
    try await core.dependencies.database.read { try AuditRecords.newest(AuditFilter(), in: $0) }
  }
}
