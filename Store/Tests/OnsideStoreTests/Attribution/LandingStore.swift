import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreAnalytics
@testable import StoreBase
@testable import StoreWeb

/// A store with the landing pages of two apps, visitors and installations.
struct LandingStore: Sendable {
  static let lumen = "io.example.lumen"
  static let tideline = "io.example.tideline"
  static let path = "/a/io.example.lumen?utm_source=news&gclid=g%201"
  static let linux = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"

  let store: TestStore

  init(_ configure: @escaping (inout StoreConfiguration) -> Void = { _ in }) async throws {
    store = try await TestStore { configuration in
      configuration.publicURL = URL(string: "https://store.example")
      configuration.isBehindProxy = true
      configure(&configuration)
    }
    for (id, install) in [(Self.lumen, "https://lumen.example/get?from=store"), (Self.tideline, nil)] {
      try await store.core.apps.register(
        App(id: id, name: "Lumen", redirectURIs: ["\(id)://onside", "http://127.0.0.1/cb"], installURI: install))
    }
  }

  static func matching() async throws -> LandingStore {
    try await LandingStore { $0.attribution.isMatching = true }
  }

  func test(_ body: @Sendable (any TestClientProtocol) async throws -> Void) async throws {
    try await store.test([], body)
  }

  /// A visitor's browser at an address.
  func browser(_ client: any TestClientProtocol, at address: String = "192.0.2.1", agent: String = linux) -> Browser {
    let browser = Browser(client)
    browser.headers = [.userAgent: agent, .forwardedFor: address]
    return browser
  }

  /// Visits and presses the button; the token that the installation gets.
  func claim(_ browser: Browser, path: String = path) async throws -> String {
    try await browser.get(path)
    try await browser.submit("/install")
    return try #require(browser.answer["claim"])
  }

  /// What an installation is told.
  func ask(
    _ client: any TestClientProtocol, installation: InstallationID, claim: String? = nil, app: String = lumen,
    at address: String = "192.0.2.1", platform: String = "linux"
  ) async throws -> String? {
    let request = AttributionRequest(installationID: installation, platform: platform, claim: claim)
    let response = try await send(client, body: WireCoding.encoder().encode(request), app: app, at: address)
    #expect(response.status == .ok)
    return try response.message(AttributionMessage.self).refererURL
  }

  func send(
    _ client: any TestClientProtocol, body: Data, app: String = lumen, at address: String = "192.0.2.1"
  ) async throws -> TestResponse {
    try await client.execute(
      uri: Route.attribution.path, method: .post,
      headers: [.onsideApp: app, .contentType: "application/json", .forwardedFor: address],
      body: ByteBuffer(bytes: body))
  }

  func installation() -> InstallationID { InstallationID(store.freshID()) }

  /// The labels of an app, oldest first, with the click identifier of each.
  func labels(_ app: String = lumen) async throws -> [String] {
    try await store.core.dependencies.database.read { connection in
      try connection.rows(
        "SELECT label, gclid FROM attribution_events WHERE app_id = $1 ORDER BY happened_at, id", [.text(app)]
      ).map { "\(try $0.text("label")) \(try $0.optionalText("gclid") ?? "-")" }
    }
  }

  func count(_ table: String) async throws -> Int64 {
    try await store.core.dependencies.database.read { connection in
      try connection.row("SELECT count(*) AS n FROM \(table)")?.integer("n") ?? 0
    }
  }
}
