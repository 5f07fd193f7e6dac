import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit

/// What a store has on its disk. Each `mutating` call is one transaction.
struct StoreBooks: Sendable {
  /// An order with everything the store knows of it.
  struct Order: Sendable {
    let id: UUID
    let account: AccountID
    let request: OrderRequest
    let product: ProductMessage
    let createdAt: Date
    var state = OrderState()
    var cancelReason: CancelReason?
    var paidAt: Date?
    var duplicateOf: UUID?
    var reason = TransactionReason.purchase
    /// The first order of the subscription that it renews.
    var original: UUID?
    /// The payment that runs or has run; a declined one is followed by another.
    var payment = 0
    var isFromElsewhere = false
    /// The devices that have finished it, or a duplicate of it.
    var finishedOn: Set<String> = []
    /// The device that may deliver it, and when it was last heard of.
    var lease: Lease?

    func isExpired(at now: Date) -> Bool { state.stage == .open && now.timeIntervalSince(createdAt) > 1800 }
    var isPaid: Bool { state.stage == .paid }
    /// Whether one device only may deliver it.
    var isLeased: Bool { isPaid && !state.finished && keepsMoney && product.kind == .consumable }

    func delivery(for device: String, at now: Date) -> DeliveryMessage? {
      guard isLeased else { return nil }
      guard let lease else { return DeliveryMessage(.free) }
      if lease.device == device { return DeliveryMessage(.here) }
      let seconds = max(lease.seenAt, paidAt ?? lease.seenAt).addingTimeInterval(Lease.lifetime).timeIntervalSince(now)
      return seconds > 0 ? DeliveryMessage(.elsewhere, seconds: Int(seconds.rounded(.up))) : DeliveryMessage(.free)
    }

    /// What all units cost, in minor units.
    var amount: Int64 { product.price.amount * Int64(request.quantity) }
    /// Whether the store keeps money for it.
    var keepsMoney: Bool { state.isEntitled && duplicateOf == nil }
    /// Whether it gives its buyer something that lasts.
    var isOwned: Bool { keepsMoney && product.kind.isRestorable }
    /// Whether it was a purchase and is none any more.
    var isTakenBack: Bool { isPaid && state.revocation != nil && duplicateOf == nil }
  }

  struct Lease: Sendable, Hashable {
    /// How long a device may be silent, in seconds: longer than a call takes, and short enough to end in a run.
    static let lifetime = 45.0
    var device: String
    var seenAt: Date
  }

  /// What the store wants of the payment provider; it stays until the provider has taken it.
  enum OutboxEntry: Sendable, Hashable {
    case charge(PaymentID)
    case refund(PaymentID)
  }

  /// One posting of the ledger.
  struct Posting: Sendable {
    enum Book: Sendable { case provider, sales }
    let book: Book
    let amount: Int64
    let order: UUID
  }

  var countries: [AccountID: CountryCode] = [:]
  private(set) var orders: [UUID: Order] = [:]
  private(set) var ledger: [Posting] = []
  private(set) var outbox: [OutboxEntry] = []
  /// What changed, oldest first; no order means the account's region.
  private var changes: [(account: AccountID, order: UUID?)] = []
  private var heard: Set<Int> = []
  /// The number of restores from a backup.
  private var restores = 0
  /// A Boolean value that indicates whether one device at a time may deliver a consumable; false for a store that is
  /// older than claims.
  var leasesDeliveries = true

  // MARK: The app's calls

  mutating func make(
    _ id: UUID, request: OrderRequest, for account: AccountID, on device: String = "", at now: Date
  ) throws(StoreError) -> OrderMessage {
    if let order = orders[id] {
      guard order.account == account, order.request == request else { throw .refused(.idempotencyKeyReused) }
      return message(order, for: device, at: now)
    }
    let country = countries[account] ?? .netherlands
    guard request.country == country else { throw .storefrontChanged(country) }
    guard let product = SimulatedProducts.product(request.productID, in: country) else {
      throw .refused(.productNotAvailable)
    }
    var order = Order(id: id, account: account, request: request, product: product, createdAt: now)
    if let owned = owned(request.productID, by: account) {
      order.state = .ownedAlready
      order.paidAt = now
      order.duplicateOf = owned.id
    }
    order.lease = Lease(device: device, seenAt: now)
    put(order)
    return message(order, for: device, at: now)
  }

  func order(
    _ id: UUID, of account: AccountID, for device: String = "", at now: Date
  ) throws(StoreError) -> OrderMessage {
    guard let order = orders[id], order.account == account else { throw .notFound }
    return message(order, for: device, at: now)
  }

  /// A device was heard of: what it delivers stays its own.
  mutating func renew(_ account: AccountID, on device: String, at now: Date) {
    for (id, order) in orders where order.account == account && order.lease?.device == device && order.isLeased {
      orders[id]?.lease?.seenAt = now
    }
  }

  /// Gives the delivery of an order to a device, unless another one has it.
  mutating func claim(
    _ id: UUID, of account: AccountID, by device: String, at now: Date
  ) throws(StoreError) -> OrderMessage {
    guard let order = orders[id], order.account == account else { throw .notFound }
    guard order.isPaid else { throw .refused(.orderNotFinal) }
    if let holder = order.delivery(for: device, at: now)?.holder, holder != .elsewhere {
      orders[id]?.lease = Lease(device: device, seenAt: now)
    }
    return try self.order(id, of: account, for: device, at: now)
  }

  mutating func cancel(
    _ id: UUID, of account: AccountID, for device: String = "", because reason: CancelReason = .user, at now: Date
  ) throws(StoreError) -> OrderMessage {
    _ = try order(id, of: account, for: device, at: now)
    change(id) { order in
      guard (try? order.state.handle(.cancelled, at: now)) == .changed else { return }
      order.cancelReason = reason
    }
    return try order(id, of: account, for: device, at: now)
  }

  mutating func finish(
    _ id: UUID, of account: AccountID, on device: String = "", at now: Date
  ) throws(StoreError) {
    guard var state = orders[id]?.state, orders[id]?.account == account else { throw .notFound }
    guard (try? state.handle(.finished, at: now)) != nil else { throw .refused(.orderNotFinal) }
    change(id) { $0.state = state }
    orders[orders[id]?.duplicateOf ?? id]?.finishedOn.insert(device)
  }

  func sync(since cursor: String?, of account: AccountID, for device: String = "", at now: Date) -> SyncMessage {
    let mine = orders.values.filter { $0.account == account }
    let told: [Order]
    let start = position(of: cursor)
    if let start {
      let changed = Set(changes[start...].compactMap { $0.account == account ? $0.order : nil })
      told = mine.filter { changed.contains($0.id) }
    } else {
      told = mine.filter { order in
        order.state.stage == .processing || (order.isPaid && (!order.state.finished || order.state.revocation != nil))
          || order.isOwned
      }
    }
    return SyncMessage(
      cursor: "\(changes.count)/\(restores)", country: countries[account] ?? .netherlands,
      orders: told.sorted { $0.id < $1.id }.map { message($0, for: device, at: now) }, startsOver: start == nil)
  }

  /// Whether a poll with this cursor has something to hear.
  func hasNews(since cursor: String?, for account: AccountID) -> Bool {
    guard let start = position(of: cursor) else { return true }
    return changes[start...].contains { $0.account == account }
  }

  /// Restores the store from a backup of its present state: syncs with the cursors of before start over.
  mutating func restoreBackup() { restores += 1 }

  /// The number of changes that a cursor has seen, or nil if the sync starts over.
  private func position(of cursor: String?) -> Int? {
    guard let parts = cursor?.split(separator: "/").compactMap({ Int($0) }), parts.count == 2 else { return nil }
    return parts[1] == restores && parts[0] <= changes.count ? parts[0] : nil
  }

  func restorable(of account: AccountID, at now: Date) -> [OrderMessage] {
    orders.values.filter { $0.account == account && $0.isOwned }
      .sorted { $0.id < $1.id }.map { message($0, for: "", at: now) }
  }

  // MARK: The payment page, the provider, the merchant

  /// The user presses "pay".
  mutating func pay(_ id: UUID, at now: Date) -> OrderState.Stage? {
    change(id) { order in
      guard (try? order.state.handle(.paymentStarted, at: now)) == .changed else { return }
      order.payment += 1
    }
    if let order = orders[id], order.state.stage == .processing {
      add(.charge(PaymentID(order: id, number: order.payment)))
    }
    return orders[id]?.state.stage
  }

  mutating func hear(_ event: SimulatedProviderEvent, at now: Date) {
    guard heard.insert(event.id).inserted, let order = orders[event.payment.order] else { return }
    let price = order.amount
    switch event.kind {
    case .declined: change(order.id) { _ = try? $0.state.handle(.paymentDeclined, at: now) }
    case .succeeded:
      post(price, to: .provider, of: order.id)
      change(order.id) { order in
        if (try? order.state.handle(.paymentSucceeded, at: now)) == .changed { order.paidAt = now }
      }
      if orders[order.id]?.state.owesRefund == true { add(.refund(event.payment)) }
    case .refunded:
      post(-price, to: .provider, of: order.id)
      takeBack(order.id, at: now)
    }
  }

  /// Ends a purchase, and the orders that were given for nothing as it was owned.
  private mutating func takeBack(_ id: UUID, at now: Date) {
    let duplicates = orders.values.filter { $0.duplicateOf == id }.map(\.id).sorted()
    for taken in [id] + duplicates { change(taken) { _ = try? $0.state.handle(.refunded(.refund), at: now) } }
  }

  mutating func done(_ entry: OutboxEntry) { outbox.removeAll { $0 == entry } }

  /// Support gives the money of an order back.
  mutating func refund(_ id: UUID, at now: Date) {
    guard let order = orders[id], order.keepsMoney else { return }
    guard order.isFromElsewhere else { return add(.refund(PaymentID(order: id, number: order.payment))) }
    post(-order.amount, to: .provider, of: id)
    takeBack(id, at: now)
  }

  /// A purchase in another place, or a renewal; it is paid there.
  mutating func sellElsewhere(
    _ productID: String, quantity: Int = 1, to account: AccountID, as id: UUID, reason: TransactionReason,
    original: UUID? = nil, at now: Date
  ) {
    let country = countries[account] ?? .netherlands
    guard let product = SimulatedProducts.product(productID, in: country) else { return }
    let request = OrderRequest(productID: productID, country: country, quantity: quantity)
    var order = Order(id: id, account: account, request: request, product: product, createdAt: now)
    order.state = OrderState(stage: .paid)
    order.paidAt = now
    order.reason = reason
    order.original = original
    order.isFromElsewhere = true
    post(order.amount, to: .provider, of: id)
    put(order)
  }

  mutating func move(_ account: AccountID, to country: CountryCode, at now: Date) {
    countries[account] = country
    changes.append((account, nil))
    for id in openOrders(where: { $0.account == account && $0.request.country != country }) {
      _ = try? cancel(id, of: account, because: .storefrontChanged, at: now)
    }
  }

  func hasExpired(at now: Date) -> Bool { orders.values.contains { $0.isExpired(at: now) } }

  /// Open orders end after half an hour.
  mutating func expireOrders(at now: Date) {
    for id in openOrders(where: { $0.isExpired(at: now) }) {
      guard let order = orders[id] else { continue }
      _ = try? cancel(id, of: order.account, because: .expired, at: now)
    }
  }

  func message(_ order: Order, for device: String, at now: Date) -> OrderMessage {
    let price = Money(minorUnits: order.amount, currency: order.request.country.currency)
    return OrderMessage(
      id: OrderID(order.id), product: order.product, quantity: order.request.quantity, state: order.state.stage,
      cancelReason: order.cancelReason, reason: order.reason, country: order.request.country,
      price: PriceMessage(price, formatted: "\(order.amount)"),
      appAccountToken: order.request.appAccountToken, createdAt: order.createdAt, paidAt: order.paidAt,
      finished: order.state.finished,
      finishedHere: order.state.revocation == nil ? nil : order.finishedOn.contains(device),
      delivery: leasesDeliveries ? order.delivery(for: device, at: now) : nil,
      revokedAt: order.state.revocation?.date, revocationReason: order.state.revocation?.reason,
      originalOrderID: order.original.map { OrderID($0) }, duplicateOf: order.duplicateOf.map { OrderID($0) },
      receipt: order.isPaid ? "receipt-\(order.id)" : nil)
  }

  private func openOrders(where fits: (Order) -> Bool) -> [UUID] {
    orders.values.filter { $0.state.stage == .open && fits($0) }.map(\.id).sorted()
  }

  private func owned(_ productID: String, by account: AccountID) -> Order? {
    orders.values.filter {
      $0.account == account && $0.product.id == productID && $0.isOwned
    }.min { $0.id < $1.id }
  }

  private mutating func put(_ order: Order) {
    orders[order.id] = order
    changes.append((order.account, order.id))
  }

  private mutating func change(_ id: UUID, _ change: (inout Order) -> Void) {
    guard var order = orders[id] else { return }
    let before = order.state
    change(&order)
    guard order.state != before else { return }
    put(order)
  }

  private mutating func add(_ entry: OutboxEntry) {
    if !outbox.contains(entry) { outbox.append(entry) }
  }

  /// Every amount is posted twice: to its book, and taken from the other.
  private mutating func post(_ amount: Int64, to book: Posting.Book, of order: UUID) {
    ledger.append(Posting(book: book, amount: amount, order: order))
    ledger.append(Posting(book: book == .provider ? .sales : .provider, amount: -amount, order: order))
  }
}
