import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreAnalytics
@testable import StoreBase
@testable import StoreWeb

/// A store with two apps that report events, and the credentials of their servers.
struct EventStore: Sendable {
  static let lumen = "io.example.lumen"
  static let tideline = "io.example.tideline"

  let store: TestStore

  init(configure: (inout StoreConfiguration) -> Void = { _ in }) async throws {
    store = try await TestStore(configure: configure)
    for id in [Self.lumen, Self.tideline] {
      try await store.core.apps.register(App(id: id, name: id, redirectURIs: []))
    }
  }

  /// An event that happened some seconds before now.
  func event(_ name: String, ago seconds: Double = 0, country: CountryCode? = nil, id: UUID? = nil) -> EventMessage {
    EventMessage(
      id: EventID(id ?? store.freshID()), name: name,
      at: (store.clock.now() - seconds).millisecondsSince1970, country: country)
  }

  @discardableResult
  func send(
    _ events: [EventMessage], of installation: InstallationID, app: String = lumen, with client: any TestClientProtocol
  ) async throws -> TestResponse {
    let body = try WireCoding.encoder().encode(EventsRequest(installationID: installation, events: events))
    return try await post(body, to: .events, headers: [.onsideApp: app], with: client)
  }

  func post(
    _ body: Data, to route: Route, headers: HTTPFields, with client: any TestClientProtocol
  ) async throws -> TestResponse {
    var headers = headers
    headers[.contentType] = "application/json"
    return try await client.execute(uri: route.path, method: .post, headers: headers, body: ByteBuffer(bytes: body))
  }

  func installation() -> InstallationID { InstallationID(store.freshID()) }

  /// Name and source of the kept events.
  func kept(_ app: String = lumen) async throws -> [String] {
    try await store.core.dependencies.database.read { connection in
      try connection.rows("SELECT name, source FROM events WHERE app_id = $1 ORDER BY id", [.text(app)]).map {
        "\(try $0.text("name")) \(try $0.text("source"))"
      }
    }
  }

  func parameters() async throws -> [String] {
    try await store.core.dependencies.database.read { connection in
      try connection.rows("SELECT parameters FROM events ORDER BY id").map { try $0.text("parameters") }
    }
  }

  func report(_ steps: String..., window: TimeInterval = 3600, app: String = lumen) async throws -> FunnelReport {
    try await FunnelQuery(
      app: app, funnel: Funnel(steps: steps, window: window), range: .distantPast ..< .distantFuture
    )
    .report(store.core.dependencies.database)
  }
}
