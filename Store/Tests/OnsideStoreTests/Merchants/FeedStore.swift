import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreMerchants
@testable import StoreSales
@testable import StoreWeb

/// A merchant's backend, which reads the feed of its app.
struct FeedReader: Sendable {
  let store: TestStore
  let client: any TestClientProtocol
  let key: String

  func get(_ query: String) async throws -> TestResponse {
    try await client.execute(
      uri: "\(Route.merchantEvents.path)?\(query)", method: .get, headers: [.authorization: "Bearer \(key)"]
    ) { $0 }
  }

  func page(after cursor: String? = nil, _ query: String = "limit=500") async throws -> MerchantFeedMessage {
    let response = try await get(query + (cursor.map { "&after=\($0)" } ?? ""))
    #expect(response.status == .ok)
    return try response.message(MerchantFeedMessage.self)
  }
}

extension TestStore {
  static let otherApp = "io.example.tideline"

  /// A store with two apps, and a backend of the first one.
  func feed(_ body: @escaping @Sendable (FeedReader) async throws -> Void) async throws {
    try await openShop()
    try await core.apps.register(App(id: Self.otherApp, name: "Tideline", redirectURIs: []))
    try await test { client in try await body(reader(of: TestShop.app.id, with: client)) }
  }

  func reader(of app: String, with client: any TestClientProtocol) async throws -> FeedReader {
    let key = try await core.apiKeys.add(app: app, name: "", scopes: [.read]).text
    return FeedReader(store: self, client: client, key: key)
  }

  /// Appends events of one customer in one commit.
  func append(
    _ types: [MerchantEventType], of subject: String = "s-1", in app: String = TestShop.app.id,
    data: String = #"{"entitlements":[]}"#
  ) async throws {
    let object = EventObject(
      kind: .customer, id: subject, customer: Customer(account: "account of \(subject)", app: app),
      appAccountToken: nil, subject: subject)
    try await core.dependencies.database.write(at: clock.now()) {
      try MerchantEventRecords.append(types.map { EventNote(type: $0) }, of: object, data: data, in: $0)
    }
  }

  /// Begins another epoch, after the events from a number on were lost.
  func loseEvents(from number: Int64, epoch: String) async throws {
    try await core.dependencies.database.write(at: clock.now()) { transaction in
      try transaction.execute("DELETE FROM merchant_events WHERE number >= $1", [.integer(number)])
      try transaction.execute("UPDATE event_counters SET newest = $1", [.integer(number - 1)])
      try SyncEpoch.set(epoch, at: transaction.storeNow, in: transaction)
    }
  }

  /// Waits until so many polls of the feed wait.
  func untilFeedWaits(_ count: Int) async throws {
    try await until("\(count) polls of the feed to wait") { core.eventFeed.polls.waitingCount == count }
  }
}
