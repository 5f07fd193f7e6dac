import Foundation
import OnsideAPI
import OnsideCommerce

/// The store of a `.storekit` file as plain values: what it sells, how it behaves and what was bought. It follows the
/// same rules as a store over HTTP; the time and new ids are arguments.
struct LocalShop: Sendable {
  let configuration: StoreKitConfiguration
  /// The products of the file.
  let catalogue: Catalogue
  var settings: StoreKitSettings
  /// The region of every account.
  private(set) var storefront: CountryCode
  /// Whether payments are interrupted until the user resolves an issue.
  var interruptsPurchases = false
  /// Whether the store is unreachable.
  var isOffline = false
  /// The failures of the next calls, by operation.
  var failures: [LocalStore.Operation: [LocalStore.Failure]] = [:]
  var book: LocalBook
  /// Events of subscriptions since the listener was last called.
  var subscriptionNotes: [LocalNote] = []
  /// The landing page's address that installations are told.
  var refererURL: URL?
  /// Makes an id that sorts by the time given.
  private let makeID: @Sendable (Date) -> UUID

  init(_ configuration: StoreKitConfiguration, book: LocalBook, newID: @escaping @Sendable (Date) -> UUID) {
    self.configuration = configuration
    catalogue = configuration.catalogue()
    settings = configuration.settings
    storefront = settings.storefront
    self.book = book
    makeID = newID
  }

  func newID(at now: Date) -> UUID { makeID(now) }

  // MARK: Accounts

  /// The account of a name, made when it is new.
  mutating func account(named name: String, at now: Date) -> AccountID {
    if let known = book.accounts.first(where: { $0.name == name }) { return known.id }
    let account = LocalAccount(id: AccountID(newID(at: now)), name: name)
    book.accounts.append(account)
    return account.id
  }

  func check(_ account: AccountID) throws(StoreError) {
    guard book.accounts.contains(where: { $0.id == account }) else { throw .notSignedIn }
  }

  // MARK: Orders

  mutating func makeOrder(
    _ id: OrderID, _ request: OrderRequest, by account: AccountID, at now: Date
  ) throws(StoreError) -> OrderMessage {
    try check(account)
    if let known = book.orders[id] {
      guard known.owner == account, known.message.isAnswer(to: request) else { throw .refused(.idempotencyKeyReused) }
      return known.message
    }
    guard request.country == storefront else { throw .storefrontChanged(storefront) }
    guard let product = catalogue[request.productID], let message = message(of: product, for: account) else {
      throw .refused(.productNotAvailable)
    }
    let offer = offer(of: product, for: account)
    var order = LocalOrder(
      owner: account,
      message: OrderMessage(
        id: id, product: message, state: .open, country: storefront, price: price(offer?.price) ?? message.price,
        appAccountToken: request.appAccountToken, createdAt: now),
      offer: offer)
    if let owned = alreadyOwned(product, by: account, at: now) {
      order.become(duplicateOf: owned)
      chooseAgain(product, by: account, at: now)
    }
    put(order)
    return order.message
  }

  func order(_ id: OrderID, of account: AccountID) throws(StoreError) -> OrderMessage {
    try check(account)
    guard let order = book.orders[id], order.owner == account else { throw .notFound }
    return order.message
  }

  /// Cancels an open order.
  mutating func cancel(_ id: OrderID, of account: AccountID) throws(StoreError) -> OrderMessage {
    if try order(id, of: account).state == .open { giveUp(id, .user) }
    return try order(id, of: account)
  }

  mutating func finish(_ id: OrderID, of account: AccountID) throws(StoreError) {
    guard try order(id, of: account).state == .paid else { throw .refused(.orderNotFinal) }
    change(id) { $0.message.finished = true }
  }

  /// Marks an order as paid; a product that the account owns already makes it a duplicate, which costs nothing.
  mutating func pay(_ id: OrderID, at now: Date) {
    guard let order = book.orders[id], order.message.state == .open || order.message.state == .processing else {
      return
    }
    let product = catalogue[order.message.product.id]
    if let owned = product.flatMap({ alreadyOwned($0, by: order.owner, at: now) }) {
      return change(id) { $0.become(duplicateOf: owned) }
    }
    change(id) {
      $0.waiting = nil
      $0.message.state = .paid
      $0.message.paidAt = now
    }
    if let product, let subscription = product.subscription {
      subscribe(id, to: product, subscription: subscription, at: now)
    }
  }

  /// Makes the payment wait for an approval, or for an issue to be resolved.
  mutating func hold(_ id: OrderID, for waiting: LocalOrder.Waiting) {
    guard book.orders[id]?.message.state == .open else { return }
    change(id) {
      $0.message.state = .processing
      $0.waiting = waiting
    }
  }

  /// Cancels an order that is not paid.
  mutating func giveUp(_ id: OrderID, _ reason: CancelReason) {
    guard let state = book.orders[id]?.message.state, state == .open || state == .processing else { return }
    change(id) {
      $0.waiting = nil
      $0.message.state = .cancelled
      $0.message.cancelReason = reason
    }
  }

  /// Revokes a purchase; returns whether there was one.
  mutating func refund(_ id: OrderID, _ reason: RevocationReason, at now: Date) -> Bool {
    guard let message = book.orders[id]?.message, message.state == .paid, message.revokedAt == nil,
      message.duplicateOf == nil
    else { return false }
    // Duplicates, which were free because this order was owned, are revoked with it.
    for taken in [id] + duplicates(of: id) {
      change(taken) {
        $0.message.revokedAt = now
        $0.message.revocationReason = reason
      }
    }
    revokePeriod(of: id, reason, at: now)
    return true
  }

  private func duplicates(of id: OrderID) -> [OrderID] {
    book.orders.values.filter { $0.message.duplicateOf == id }.map(\.message.id)
      .sorted { $0.description < $1.description }
  }

  /// Moves every account to another region. Open orders are cancelled.
  mutating func move(to country: CountryCode) {
    guard country != storefront else { return }
    storefront = country
    settings.storefront = country
    for account in book.accounts { book.changes.append(LocalChange(owner: account.id)) }
    for (id, order) in book.orders where order.message.state == .open { giveUp(id, .storefrontChanged) }
  }

  // MARK: Reading

  func restorable(by account: AccountID, at now: Date) throws(StoreError) -> [OrderMessage] {
    try check(account)
    let subscribed = book.subscriptions.filter { $0.owner == account && $0.machine.isEntitled(at: now) }
    let current = Set(subscribed.compactMap { $0.machine.period.flatMap { [orders = $0.orders] in orders[$0.number] } })
    return messages(of: account) { order in
      order.state == .paid && order.revokedAt == nil && order.duplicateOf == nil
        && (order.product.kind == .nonConsumable || current.contains(order.id))
    }
  }

  func sync(_ account: AccountID, since cursor: String?, at now: Date) throws(StoreError) -> SyncMessage {
    try check(account)
    let orders: [OrderMessage]
    let start = position(of: cursor)
    if let start {
      let changed = Set(book.changes[start...].filter { $0.owner == account }.compactMap(\.order))
      orders = messages(of: account) { changed.contains($0.id) }
    } else {
      let owned = Set(try restorable(by: account, at: now).map(\.id))
      orders = messages(of: account) { order in
        order.state == .processing || owned.contains(order.id)
          || (order.state == .paid && (!order.finished || order.revokedAt != nil))
      }
    }
    return SyncMessage(
      cursor: "\(book.id)/\(book.changes.count)", country: storefront, orders: orders, startsOver: start == nil)
  }

  /// Whether a sync has changes to report.
  func hasNews(for account: AccountID, since cursor: String?) -> Bool {
    guard let start = position(of: cursor) else { return true }
    return book.changes[start...].contains { $0.owner == account }
  }

  private func position(of cursor: String?) -> Int? {
    let parts = cursor?.split(separator: "/") ?? []
    guard parts.count == 2, parts[0] == book.id.uuidString, let position = Int(parts[1]),
      book.changes.indices.contains(position) || position == book.changes.count
    else { return nil }
    return position
  }

  func messages(of account: AccountID, where isWanted: (OrderMessage) -> Bool) -> [OrderMessage] {
    book.orders.values.filter { $0.owner == account && isWanted($0.message) }.map(\.message)
      .sorted { $0.id.description < $1.id.description }
  }

  // MARK: Writing

  mutating func put(_ order: LocalOrder) {
    book.orders[order.message.id] = order
    book.changes.append(LocalChange(owner: order.owner, order: order.message.id))
  }

  mutating func change(_ id: OrderID, _ change: (inout LocalOrder) -> Void) {
    guard var order = book.orders[id] else { return }
    let before = order
    change(&order)
    if order != before { put(order) }
  }
}

extension LocalOrder {
  /// Makes the order a duplicate of one that the account owns: nothing is charged.
  fileprivate mutating func become(duplicateOf owned: OrderMessage) {
    message.state = .paid
    message.paidAt = owned.paidAt
    message.duplicateOf = owned.id
    message.originalOrderID = owned.originalOrderID
    message.expiresAt = owned.expiresAt
    waiting = nil
  }
}

extension OrderMessage {
  /// Whether this is the order that the request has made.
  fileprivate func isAnswer(to request: OrderRequest) -> Bool {
    product.id == request.productID && country == request.country && appAccountToken == request.appAccountToken
  }
}
