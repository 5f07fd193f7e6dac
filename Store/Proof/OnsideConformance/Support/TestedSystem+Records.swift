import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit
import OnsideStore
import StoreAccounts
import StoreBase
import StoreSales
import StoreTestSupport
import Testing

/// The store's records, and actions of its operator.
extension TestedSystem {
  func account(of user: SimulatedUser) async throws -> Account {
    let number = try PhoneNumber(parsing: user.phone)
    return try #require(try await core.accounts.account(.phone(number)), "\(user.phone) has no account")
  }

  /// The orders of a user, oldest first.
  func orders(of user: SimulatedUser) async throws -> [Order] {
    let customer = Customer(account: try await account(of: user).id.description, app: Self.app)
    let records = core.orders.records
    return try await core.dependencies.database.read { connection in
      try records.orders(.all, of: customer, in: connection)
    }.sorted { $0.createdAt < $1.createdAt }
  }

  func order(_ transaction: OnsidePaymentTransaction, of user: SimulatedUser) async throws -> Order {
    try #require(try await orders(of: user).first { $0.id == transaction.id }, "the store has no such order")
  }

  /// An order in the records of a store, remote or local.
  struct BookedOrder: Hashable {
    var id: UUID
    var price: Money
    /// When the period that it pays for ends.
    var expiresAt: Date?
    var isPaid = false
    var isRevoked = false
    var reason: TransactionReason
    var isFinished = false
    var isCancelled = false

    var isRenewal: Bool { reason == .renewal }

    init(_ order: Order) {
      (id, price, expiresAt) = (order.id, order.price, order.expiresAt)
      (isPaid, isRevoked) = (order.state.stage == .paid, order.state.revocation != nil)
      (reason, isFinished) = (order.reason, order.state.finished)
      isCancelled = order.state.stage == .cancelled
    }

    init(_ local: LocalTransaction) {
      (id, price, expiresAt) = (local.id, local.price, local.expirationDate)
      (isPaid, isRevoked) = ([.purchased, .refunded].contains(local.state), local.state == .refunded)
      (reason, isFinished) = (local.reason, local.isFinished)
      isCancelled = local.state == .cancelled
    }
  }

  /// The orders of a user in the remote or the local store, oldest first.
  func booked(of user: SimulatedUser) async throws -> [BookedOrder] {
    guard let local else { return try await orders(of: user).map(BookedOrder.init) }
    return local.transactions(of: user.phone).map(BookedOrder.init)
  }

  func booked(_ transaction: OnsidePaymentTransaction, of user: SimulatedUser) async throws -> BookedOrder {
    try #require(try await booked(of: user).first { $0.id == transaction.id }, "the store has no such order")
  }

  struct Sale: Hashable {
    var orderID: UUID
    var amount: Money
  }

  /// The charged amounts, by order.
  func sales() async throws -> [Sale] {
    if let local {
      return local.transactions()
        .filter { [.purchased, .refunded].contains($0.state) && $0.duplicateOf == nil }
        .map { Sale(orderID: $0.id, amount: $0.price) }
    }
    return try await core.dependencies.database.read { connection in
      try connection.rows("SELECT DISTINCT order_id FROM ledger").flatMap { row in
        try Ledger.entries(of: try #require(UUID(uuidString: try row.text("order_id"))), in: connection)
      }
    }.filter { $0.kind == "sale" }.map {
      Sale(orderID: try #require(UUID(uuidString: $0.orderID)), amount: $0.amount)
    }
  }

  /// What was charged, the smallest first, without what was free: in the currency's smallest unit.
  func amounts() async throws -> [Int64] { try await sales().map(\.amount.minorUnits).filter { $0 > 0 }.sorted() }

  /// For each session since the start, oldest first: whether it is revoked.
  func sessionsAreRevoked() async throws -> [Bool] {
    try await core.dependencies.database.read { connection in
      try connection.rows("SELECT revoked_at FROM sessions ORDER BY created_at").map { row in
        try row.optionalDate("revoked_at") != nil
      }
    }
  }

  /// Moves a user's account to another region.
  func move(_ user: SimulatedUser, to country: String) async throws {
    let country = try #require(CountryCode(alpha2: country))
    if let local { return local.storefront = country }
    #expect(try await core.accounts.changeRegion(of: try await account(of: user).id, to: country))
  }

  func remove(_ user: SimulatedUser) async throws {
    if let local { return local.reset() }
    try await core.accounts.remove(try await account(of: user).id)
  }

  /// Refunds a purchase, as support does.
  func refund(_ transaction: OnsidePaymentTransaction) async throws {
    if let local { return #expect(local.refund(transaction.id)) }
    try await core.orders.refund(transaction.id, because: .refund)
  }

  /// Changes one product of the catalogue.
  func change(_ product: String, _ change: @Sendable (inout Product) -> Void) async throws {
    let catalogue = try ExampleProducts.catalogue(changing: product, change)
    try await operate { try await $0.catalogue.replace(catalogue, of: Self.app) }
  }

  /// Advances the store's clock, and delivers the outbox rows that are due then.
  func letTimePass(seconds: Int64) async throws {
    if local != nil { return ahead.change { $0 += Double(seconds) } }
    try await advanceClock(seconds: TimeInterval(seconds))
    try await core.deliverOutbox()
  }

  /// Lets a store over HTTP do what waits in its outbox.
  func deliverOutbox() async throws {
    if isOverHTTP { try await core.deliverOutbox() }
  }

  /// Waits until no outbox row of a store over HTTP is due.
  func outboxEmpties() async throws {
    guard isOverHTTP else { return }
    try await NamedDeadline.wait(for: "an empty outbox") { try await core.outboxStatus().waiting == 0 }
  }

  /// Advances the clock of the store over HTTP.
  func advanceClock(seconds: TimeInterval) async throws {
    // The setting is written to the database: the store reloads it from there, and would reset the clock otherwise.
    _ = try await operate { try await SandboxClockSetting($0.dependencies.base).advance(by: seconds) }
  }
}

/// The refresh token of a session, read from a device's folder as an attacker with a copy of the folder would.
struct StolenSession: Decodable {
  let refreshToken: String

  @MainActor
  init(from device: TestedDevice) throws {
    let file = device.folder.url.appending(path: "session.json")
    self = try JSONDecoder().decode(Self.self, from: try Data(contentsOf: file))
  }
}

extension TestedSystem {
  /// Renews a subscription for its next period, and returns the id of the new order.
  func renew(_ transaction: OnsidePaymentTransaction, of user: SimulatedUser) async throws -> UUID {
    if let local {
      #expect(local.renew(transaction.payment.product.productIdentifier, of: user.phone))
      return try #require(local.transactions(of: user.phone).last { $0.isRenewal }).id
    }
    let order = try await order(transaction, of: user)
    let group = try #require(order.product.message.subscriptionGroupID)
    try await operate { core in
      let key = SubscriptionKey(account: order.accountID, app: order.appID, group: group)
      let isRenewed = try await core.subscriptions.runNextEvent(of: key)
      #expect(isRenewed)
      try await core.deliverOutbox()
    }
    return try #require(try await orders(of: user).last { $0.reason == .renewal }).id
  }
}

extension TestedSystem {
  /// Disconnects every device from the network.
  func goOffline() {
    local?.isOffline = true
    if isOverHTTP { network.disturb(.sdk, with: .refuse) }
  }

  func goOnline() {
    local?.isOffline = false
    if isOverHTTP { network.heal() }
  }

  /// Waits until the store has recorded this number of finishes.
  func finished(_ count: Int, of user: SimulatedUser) async throws {
    if isOverHTTP { return try await network.until(.call(.finishOrder), answered: count) }
    try await NamedDeadline.wait(for: "\(count) finishes in the store", every: .milliseconds(1)) {
      try await booked(of: user).count(where: \.isFinished) >= count
    }
  }

  /// Turns off the renewal of a user's subscription, so that it ends with its period.
  func stopRenewing(_ product: String, of user: SimulatedUser) async throws {
    if let local { return #expect(local.setAutoRenew(false, for: product, of: user.phone)) }
    let order = try #require(try await orders(of: user).last { $0.product.message.id == product })
    let group = try #require(order.product.message.subscriptionGroupID)
    let key = SubscriptionKey(account: order.accountID, app: order.appID, group: group)
    // What was paid with a card that is not kept does not renew in any case.
    _ = try await core.subscriptions.setAutoRenew(false, of: key)
  }
}
