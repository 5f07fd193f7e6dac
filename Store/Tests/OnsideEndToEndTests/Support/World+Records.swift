import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit
import Testing

@testable import OnsideStore

/// What the store's books say, and what its operator can do.
extension World {
  func account(of person: Person) async throws -> Account {
    let number = try PhoneNumber(parsing: person.phone)
    return try #require(try await AccountService(core: core).account(phone: number), "\(person.phone) has no account")
  }

  /// The orders of a person, oldest first.
  func orders(of person: Person) async throws -> [Order] {
    let id = try await account(of: person).id.description
    let records = core.orders.records
    return try await core.dependencies.database.read { connection in
      try records.orders(account: id, app: Self.app, where: "1 = 1", [], connection)
    }.sorted { $0.createdAt < $1.createdAt }
  }

  func order(_ transaction: OnsidePaymentTransaction, of person: Person) async throws -> Order {
    try #require(try await orders(of: person).first { $0.id == transaction.id }, "the store has no such order")
  }

  /// What was charged, per order.
  func sales() async throws -> [Ledger.Entry] {
    try await core.dependencies.database.read { connection in
      try connection.rows("SELECT DISTINCT order_id FROM ledger").flatMap { row in
        try Ledger.entries(of: try #require(UUID(uuidString: try row.text("order_id"))), connection)
      }
    }.filter { $0.kind == "sale" }
  }

  /// The sessions that were ever opened: whether each is over.
  func sessionsAreRevoked() async throws -> [Bool] {
    try await core.dependencies.database.read { connection in
      try connection.rows("SELECT revoked_at FROM sessions ORDER BY created_at").map { row in
        try row.optionalDate("revoked_at") != nil
      }
    }
  }

  /// Moves a person's account to another region.
  func move(_ person: Person, to country: String) async throws {
    let country = try #require(CountryCode(alpha2: country))
    #expect(try await AccountService(core: core).changeRegion(of: try await account(of: person).id, to: country))
  }

  func remove(_ person: Person) async throws {
    try await AccountService(core: core).remove(try await account(of: person).id)
  }

  /// Gives the money back, as support does.
  func refund(_ transaction: OnsidePaymentTransaction) async throws {
    try await core.orders.refund(transaction.id, because: .refund)
  }

  /// Changes what one product is sold as.
  func change(_ product: String, _ change: @Sendable (inout Product) -> Void) async throws {
    try await core.catalogue.replace(try Goods.catalogue(changing: product, change), of: Self.app)
  }

  /// Lets time pass at the store, and what waited for it happen.
  func letTimePass(seconds: Int64) async throws {
    let clock = core.dependencies.clock
    clock.setOffset(milliseconds: clock.offsetMilliseconds + seconds * 1000)
    try await core.deliverOutbox()
  }
}

/// The account's own secrets on a device, as somebody who has copied its folder knows them.
struct StolenSession: Decodable {
  let refreshToken: String

  @MainActor
  init(from device: Device) throws {
    let file = device.folder.url.appending(path: "session.json")
    self = try JSONDecoder().decode(Self.self, from: try Data(contentsOf: file))
  }
}

extension World {
  /// Writes a subscription's next period into the books, as a renewal does; answers its id.
  func renew(_ transaction: OnsidePaymentTransaction, of person: Person) async throws -> UUID {
    let before = try await order(transaction, of: person)
    let now = core.dependencies.clock.now()
    let renewal = Order(
      id: core.dependencies.random.uuid7(at: now), accountID: before.accountID, appID: before.appID,
      product: before.product, quantity: 1, country: before.country, price: before.price, priceText: before.priceText,
      state: OrderState(stage: .paid), reason: .renewal, appAccountToken: before.appAccountToken,
      language: before.language, createdAt: now, paidAt: now,
      expiresAt: before.product.message.subscriptionPeriod?.adding(to: now), originalOrderID: before.id)
    let records = core.orders.records
    try await core.dependencies.database.write { try records.insert(renewal, $0) }
    core.changes.wake(account: before.accountID)
    return renewal.id
  }
}
