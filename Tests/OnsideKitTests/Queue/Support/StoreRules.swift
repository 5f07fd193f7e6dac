import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit

/// What a store does with orders, as plain values: the store of the queue's tests. `OrderState` decides how an order
/// may change.
struct StoreRules: Sendable {
  private(set) var orders: [UUID: OrderMessage] = [:]
  private(set) var owners: [UUID: AccountID] = [:]
  private(set) var countries: [AccountID: CountryCode] = [:]
  /// How often each order was paid.
  private(set) var charges: [UUID: Int] = [:]
  /// What changed, oldest first; `nil` is the account's region.
  private var changes: [(account: AccountID, order: UUID?)] = []
  private var made: UInt64 = 0
  private var openPages: Set<UUID> = []
  private var epoch = 0
  /// Makes every order of one, as a store that knows no quantities may.
  var forgetsQuantities = false

  static let date = Date(timeIntervalSince1970: 1_800_000_000)

  mutating func move(_ account: AccountID, to country: CountryCode) {
    let isNew = countries[account] == nil
    countries[account] = country
    if !isNew { changes.append((account, nil)) }
    for (id, order) in orders where owners[id] == account && order.state == .open && order.country != country {
      handle(.cancelled, of: id) { $0.cancelReason = .storefrontChanged }
    }
  }

  mutating func make(_ id: UUID, request: OrderRequest, of account: AccountID) throws(StoreError) -> OrderMessage {
    if let order = orders[id] {
      guard owners[id] == account, order.product.id == request.productID, order.country == request.country,
        order.quantity == request.quantity
      else { throw .refused(.idempotencyKeyReused) }
      return order
    }
    guard let country = countries[account] else { throw .notSignedIn }
    guard request.country == country else { throw .storefrontChanged(country) }
    guard let product = RuleProducts.product(request.productID, in: country) else {
      throw .refused(.productNotAvailable)
    }
    var order = OrderMessage(
      id: OrderID(id), product: product, quantity: forgetsQuantities ? 1 : request.quantity, state: .open,
      country: country, price: product.price, appAccountToken: request.appAccountToken, createdAt: Self.date,
      paymentURL: URL(string: "https://store.example/pay/\(id)"))
    if let owned = owned(product, by: account) {
      order.apply(.ownedAlready)
      order.duplicateOf = owned.id
      order.paymentURL = nil
    }
    insert(order, of: account)
    return order
  }

  func order(_ id: UUID, of account: AccountID) throws(StoreError) -> OrderMessage {
    guard let order = orders[id], owners[id] == account else { throw .notFound }
    return order
  }

  mutating func cancel(
    _ id: UUID, of account: AccountID, because reason: CancelReason = .user
  ) throws(StoreError) -> OrderMessage {
    let order = try order(id, of: account)
    if reason == .screenClosed, openPages.contains(id) { return order }
    handle(.cancelled, of: id) { $0.cancelReason = reason }
    return try self.order(id, of: account)
  }

  /// A browser was given the payment page.
  mutating func openPage(_ id: UUID) { openPages.insert(id) }

  /// Cancels an open order whose time to pay is over.
  mutating func expire(_ id: UUID) { handle(.cancelled, of: id) { $0.cancelReason = .expired } }

  mutating func finish(_ id: UUID, of account: AccountID) throws(StoreError) {
    var state = try order(id, of: account).orderState
    guard (try? state.handle(.finished, at: Self.date)) != nil else { throw .refused(.orderNotFinal) }
    handle(.finished, of: id)
  }

  mutating func pay(_ id: UUID) {
    let isPaid = handle(.paymentSucceeded, of: id) {
      $0.paidAt = Self.date
      $0.paymentURL = nil
      $0.receipt = "receipt-\(id)"
    }
    if isPaid { charges[id, default: 0] += 1 }
  }

  mutating func hold(_ id: UUID) { handle(.paymentPending, of: id) }

  mutating func decline(_ id: UUID) { handle(.paymentDeclined, of: id) }

  /// Ends a purchase, and the orders that were given for nothing as it was owned.
  mutating func refund(_ id: UUID) {
    guard let order = orders[id], order.duplicateOf == nil, handle(.refunded(.refund), of: id) else { return }
    for duplicate in orders.values.filter({ $0.duplicateOf == order.id }) {
      handle(.refunded(.refund), of: duplicate.id.uuid)
    }
  }

  /// A purchase on another device, or a renewal of `original`.
  @discardableResult
  mutating func sellElsewhere(
    _ productID: String, to account: AccountID, quantity: Int = 1, renewalOf original: UUID? = nil
  ) -> UUID {
    made += 1
    let id = UUID.version7(at: Self.date.addingTimeInterval(Double(made)), random: [UInt8](repeating: 0xEE, count: 10))
    guard let country = countries[account], let product = RuleProducts.product(productID, in: country) else {
      return id
    }
    let order = OrderMessage(
      id: OrderID(id), product: product, quantity: quantity, state: .paid,
      reason: original == nil ? .purchase : .renewal, country: country, price: product.price, createdAt: Self.date,
      paidAt: Self.date, originalOrderID: original.map { OrderID($0) }, receipt: "receipt-\(id)")
    insert(order, of: account)
    return id
  }

  func sync(since cursor: String?, _ account: AccountID) throws(StoreError) -> SyncMessage {
    guard let country = countries[account] else { throw .notSignedIn }
    let mine = orders.values.filter { owners[$0.id.uuid] == account }
    let answer: [OrderMessage]
    let start = position(of: cursor)
    if let start {
      let changed = Set(changes[start...].filter { $0.account == account }.compactMap(\.order))
      answer = mine.filter { changed.contains($0.id.uuid) }
    } else {
      let owned = Set(restorable(account).map(\.id))
      answer = mine.filter { order in
        order.state == .processing || owned.contains(order.id)
          || (order.state == .paid && (!order.finished || order.revokedAt != nil))
      }
    }
    return SyncMessage(
      cursor: place, country: country, orders: answer.sorted { $0.id.description < $1.id.description },
      startsOver: start == nil)
  }

  /// Whether a poll with this cursor has something to tell.
  func hasNews(since cursor: String?, _ account: AccountID) -> Bool {
    guard let start = position(of: cursor) else { return true }
    return changes[start...].contains { $0.account == account }
  }

  /// The store was restored from a backup: cursors of the time before start over.
  mutating func restoreBackup() { epoch += 1 }

  private var place: String { epoch == 0 ? "\(changes.count)" : "\(changes.count)/\(epoch)" }

  private func position(of cursor: String?) -> Int? {
    let parts = cursor?.split(separator: "/").compactMap { Int($0) } ?? []
    guard let change = parts.first, change <= changes.count, parts.dropFirst().first ?? 0 == epoch else { return nil }
    return change
  }

  func restorable(_ account: AccountID) -> [OrderMessage] {
    orders.values
      .filter {
        owners[$0.id.uuid] == account && OrderState($0).isEntitled && $0.duplicateOf == nil
          && $0.product.kind.isRestorable
      }
      .sorted { $0.id.description < $1.id.description }
  }

  private func owned(_ product: ProductMessage, by account: AccountID) -> OrderMessage? {
    restorable(account).first { $0.product.id == product.id }
  }

  private mutating func insert(_ order: OrderMessage, of account: AccountID) {
    orders[order.id.uuid] = order
    owners[order.id.uuid] = account
    changes.append((account, order.id.uuid))
  }

  /// Gives an event to an order's state machine; returns whether it changed the order, which `follow` then completes.
  @discardableResult
  private mutating func handle(
    _ event: OrderEvent, of id: UUID, then follow: (inout OrderMessage) -> Void = { _ in }
  ) -> Bool {
    guard var order = orders[id], let owner = owners[id] else { return false }
    var state = OrderState(order)
    guard (try? state.handle(event, at: Self.date)) == .changed else { return false }
    order.apply(state)
    follow(&order)
    orders[id] = order
    changes.append((owner, id))
    return true
  }
}
