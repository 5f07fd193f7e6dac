import Foundation
import OnsideAPI
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales

@Suite("The event log", .timeLimit(.minutes(5)))
struct EventLogTests {
  private struct Refused: Error {}

  private static func object(_ id: String = "c") -> EventObject {
    EventObject(
      kind: .customer, id: id, customer: Customer(account: "a", app: "app"), appAccountToken: "t", subject: "s")
  }

  /// Appends events with one transaction.
  private func append(
    _ types: [MerchantEventType], of id: String = "c", data: String = "{}", in store: TestStore
  ) async throws {
    try await store.core.dependencies.database.write(at: store.clock.now()) { transaction in
      try MerchantEventRecords.append(
        types.map { EventNote(type: $0) }, of: Self.object(id), data: data, in: transaction)
    }
  }

  @Test("MER-4: the sequence of an object begins at 1 and rises by one; another object has its own")
  func sequence() async throws {
    let store = try await TestStore()
    try await append([.entitlementChanged], in: store)
    try await append([.entitlementChanged, .customerRemoved], data: #"{"a":1}"#, in: store)
    try await append([.entitlementChanged], of: "d", in: store)
    let events = try await store.events(of: "c", kind: .customer)
    #expect(events.map(\.sequence) == [1, 2, 3])
    #expect(events.map(\.type) == ["entitlement.changed", "entitlement.changed", "customer.removed"])
    #expect(events.map(\.data) == ["{}", #"{"a":1}"#, #"{"a":1}"#])
    #expect(events.allSatisfy { $0.account == "a" && $0.subject == "s" && $0.token == "t" })
    let others = try await store.events(of: "d", kind: .customer).map(\.sequence)
    #expect(others == [1])
  }

  @Test("The newest event of an object has its data and sequence; an object without events has neither")
  func newest() async throws {
    let store = try await TestStore()
    try await append([.entitlementChanged], in: store)
    try await append([.entitlementChanged], data: #"{"a":1}"#, in: store)
    let found = try await store.core.dependencies.database.read { connection in
      try ["c", "d"].map { id -> [String?] in
        let event = try MerchantEventRecords.newest(.customer, id, in: "app", in: connection).event
        return [event?.data, event.map { String($0.sequence) }]
      }
    }
    #expect(found == [[#"{"a":1}"#, "2"], [nil, nil]])
  }

  @Test("MER-4: a transaction that is rolled back writes no event and leaves no gap")
  func rollback() async throws {
    let store = try await TestStore()
    try await append([.entitlementChanged], in: store)
    await #expect(throws: Refused.self) {
      try await store.core.dependencies.database.write(at: store.clock.now()) { transaction in
        try MerchantEventRecords.append(
          [EventNote(type: .customerRemoved)], of: Self.object(), data: "{}", in: transaction)
        throw Refused()
      }
    }
    try await append([.entitlementChanged], in: store)
    let events = try await store.events(of: "c", kind: .customer)
    #expect(events.map(\.sequence) == [1, 2])
    #expect(events.allSatisfy { $0.type == "entitlement.changed" })
  }

  @Test("New events have at least the sequence of the setting, and go on from it")
  func base() async throws {
    let store = try await TestStore()
    try await append([.entitlementChanged], in: store)
    try await store.core.dependencies.database.write {
      try StoreSettings(connection: $0).set(SyncEpoch.sequenceBaseName, to: "1000")
    }
    try await append([.entitlementChanged, .entitlementChanged], in: store)
    try await append([.entitlementChanged], of: "d", in: store)
    let sequences = try await store.events(of: "c", kind: .customer).map(\.sequence)
    #expect(sequences == [1, 1000, 1001])
    let others = try await store.events(of: "d", kind: .customer).map(\.sequence)
    #expect(others == [1000])
  }

  @Test("MER-4: events are deleted after 180 days, apart from the newest of each object")
  func retention() async throws {
    let store = try await TestStore()
    let retention = EventRetention(store.core.dependencies.base)
    try await append([.entitlementChanged, .entitlementChanged], in: store)
    try await append([.entitlementChanged], of: "d", in: store)
    store.clock.advance(by: .seconds(100 * 86_400))
    try await append([.entitlementChanged], in: store)
    try await append([.entitlementChanged], in: store)
    store.clock.advance(by: .seconds(80 * 86_400))
    try await retention.clear()
    let all = try await store.events(of: "c", kind: .customer).map(\.sequence)
    #expect(all == [1, 2, 3, 4])
    store.clock.advance(by: .seconds(1))
    try await retention.clear()
    let half = try await store.events(of: "c", kind: .customer).map(\.sequence)
    #expect(half == [3, 4])
    store.clock.advance(by: .seconds(1000 * 86_400))
    try await retention.clear()
    let newest = try await store.events(of: "c", kind: .customer).map(\.sequence)
    #expect(newest == [4])
    let others = try await store.events(of: "d", kind: .customer).map(\.sequence)
    #expect(others == [1])
    try await append([.entitlementChanged], in: store)
    let next = try await store.events(of: "c", kind: .customer).map(\.sequence)
    #expect(next == [4, 5])
  }

  @Test("The events of a removed account lose its id and the app's token, also in the object")
  func detached() async throws {
    let (store, token) = (try await TestStore(), #"u"\"#)
    let object = EventObject(
      kind: .order, id: "o", customer: Customer(account: "a", app: "app"), appAccountToken: token, subject: "s")
    let data = "{\(OrderObject.tokenField(token)),\"price\":1}"
    try await store.core.dependencies.database.write(at: store.clock.now()) { transaction in
      try MerchantEventRecords.append([EventNote(type: .orderPaid)], of: object, data: data, in: transaction)
      try MerchantEventRecords.detach(from: "a", to: "b", in: transaction)
    }
    let event = try #require(try await store.events(of: "o").first)
    #expect(event.account == "b" && event.token == nil && event.subject == "s")
    #expect(event.data == #"{"app_account_token":null,"price":1}"#)
  }
}
