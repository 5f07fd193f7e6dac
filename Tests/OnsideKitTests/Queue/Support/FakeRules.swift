import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit

@testable import OnsideSimulation

/// The books of the simulated store (`StoreBooks`) at one date, without leases on deliveries. The payment provider
/// answers in the same call.
struct FakeRules: Sendable {
  private var books = StoreBooks()
  private var openPages: Set<UUID> = []
  private var lastEvent = 0
  private var lastSale = 0
  /// Makes every order of one unit, as a store that knows no quantities may.
  var forgetsQuantities = false

  static let date = Date(timeIntervalSince1970: 1_800_000_000)

  init() { books.leasesDeliveries = false }

  var orders: [UUID: OrderMessage] { books.orders.mapValues { books.message($0, for: "", at: Self.date) } }

  /// The number of charges of each charged order.
  var charges: [UUID: Int] {
    let charged = books.ledger.filter { posting in
      posting.book == .provider && posting.amount > 0 && books.orders[posting.order]?.isFromElsewhere == false
    }
    return Dictionary(grouping: charged, by: \.order).mapValues(\.count)
  }

  // MARK: The app's calls

  mutating func make(_ id: UUID, request: OrderRequest, of account: AccountID) throws(StoreError) -> OrderMessage {
    var request = request
    if forgetsQuantities { request.quantity = 1 }
    return try books.make(id, request: request, for: account, at: Self.date)
  }

  func order(_ id: UUID, of account: AccountID) throws(StoreError) -> OrderMessage {
    try books.order(id, of: account, at: Self.date)
  }

  mutating func cancel(
    _ id: UUID, of account: AccountID, because reason: CancelReason = .user
  ) throws(StoreError) -> OrderMessage {
    if reason == .screenClosed, openPages.contains(id) { return try order(id, of: account) }
    return try books.cancel(id, of: account, because: reason, at: Self.date)
  }

  mutating func finish(_ id: UUID, of account: AccountID, on device: String = "") throws(StoreError) {
    try books.finish(id, of: account, on: device, at: Self.date)
  }

  /// The devices that have finished an order.
  func finishes(of id: UUID) -> Set<String> { books.orders[id]?.finishedOn ?? [] }

  func sync(since cursor: String?, _ account: AccountID) -> SyncMessage {
    books.sync(since: cursor, of: account, at: Self.date)
  }

  /// A Boolean value that indicates whether a poll with this cursor returns a change.
  func hasNews(since cursor: String?, _ account: AccountID) -> Bool { books.hasNews(since: cursor, for: account) }

  func restorable(_ account: AccountID) -> [OrderMessage] { books.restorable(of: account, at: Self.date) }

  // MARK: The payment page, the provider, the merchant

  /// Marks the payment page as open in a browser.
  mutating func openPage(_ id: UUID) { openPages.insert(id) }

  mutating func pay(_ id: UUID) {
    hold(id)
    report(.succeeded, of: id)
  }

  /// Starts a payment, which stays in processing.
  mutating func hold(_ id: UUID) { _ = books.pay(id, at: Self.date) }

  mutating func decline(_ id: UUID) { report(.declined, of: id) }

  /// Refunds a purchase, and revokes its duplicates.
  mutating func refund(_ id: UUID) {
    books.refund(id, at: Self.date)
    for case .refund(let payment) in books.outbox { settle(payment, as: .refunded) }
  }

  /// Cancels an open order whose time to pay is over.
  mutating func expire(_ id: UUID) {
    guard let order = books.orders[id] else { return }
    _ = try? books.cancel(id, of: order.account, because: .expired, at: Self.date)
  }

  /// Sells a product on another device, or renews `original`.
  @discardableResult
  mutating func sellElsewhere(
    _ productID: String, to account: AccountID, quantity: Int = 1, renewalOf original: UUID? = nil
  ) -> UUID {
    lastSale += 1
    let date = Self.date.addingTimeInterval(Double(lastSale))
    let id = UUID.version7(at: date, random: [UInt8](repeating: 0xEE, count: 10))
    books.sellElsewhere(
      productID, quantity: quantity, to: account, as: id, reason: original == nil ? .purchase : .renewal,
      original: original, at: Self.date)
    return id
  }

  mutating func move(_ account: AccountID, to country: CountryCode) { books.move(account, to: country, at: Self.date) }

  /// Restores the store from a backup: syncs with the cursors of before start over.
  mutating func restoreBackup() { books.restoreBackup() }

  /// Ends a payment in processing.
  private mutating func report(_ kind: SimulatedProviderEvent.Kind, of id: UUID) {
    guard let order = books.orders[id], order.state.stage == .processing else { return }
    settle(PaymentID(order: id, number: order.payment), as: kind)
  }

  private mutating func settle(_ payment: PaymentID, as kind: SimulatedProviderEvent.Kind) {
    lastEvent += 1
    books.hear(SimulatedProviderEvent(id: lastEvent, payment: payment, kind: kind), at: Self.date)
    books.done(kind == .refunded ? .refund(payment) : .charge(payment))
  }
}

/// The products of the simulated store.
enum RuleProducts {
  static let coins = "coins"
  static let pro = "pro"
  static let club = "club"
  /// Sold in the Netherlands only.
  static let cheese = "cheese"

  static func product(_ id: String, in country: CountryCode) -> ProductMessage? {
    SimulatedProducts.product(id, in: country)
  }
}
