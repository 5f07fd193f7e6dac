import Foundation
import OnsideAPI
import OnsideCommerce

/// What an order becomes when money comes, does not come, or goes back: one place, whoever tells it. Every call runs
/// inside the caller's transaction.
struct PaymentSettlement: Sendable {
  let orders: OrderRecords
  let payments: PaymentRecords
  let ledger: Ledger
  let keys: SigningKeys
  let outbox = OutboxRecords()

  /// Takes in an event about an order; the same event twice changes nothing.
  func apply(_ event: ProviderEvent, to order: inout Order, _ now: Date, _ connection: any SQLConnection) throws {
    let state: Payment.State =
      switch event.type {
      case .succeeded: .succeeded
      case .declined: .declined
      case .pending: .pending
      case .refunded: .refunded
      }
    guard let payment = try move(event.paymentID, of: order, to: state, now, connection) else { return }
    let isCurrent = order.paymentID == nil || order.paymentID == event.paymentID
    switch event.type {
    case .succeeded: try succeed(&order, payment, isCurrent, now, connection)
    case .refunded: try refunded(&order, payment, isCurrent, now, connection)
    case .declined: if isCurrent { try move(&order, .paymentDeclined, event.paymentID, now, connection) }
    case .pending: if isCurrent { try move(&order, .paymentPending, event.paymentID, now, connection) }
    }
  }

  /// The payment in its new state; nil when the event tells nothing new. A payment that the store did not start was
  /// made on the provider's own page.
  private func move(
    _ id: String, of order: Order, to state: Payment.State, _ now: Date, _ connection: any SQLConnection
  ) throws -> Payment? {
    let new = Payment(id: id, orderID: order.id, method: nil, amount: order.price, state: state)
    if try payments.insert(new, now, connection) { return new }
    guard var known = try payments.payment(id, connection), known.orderID == order.id else { throw Problem.notFound }
    // Events may come late or out of order: money that came can only go back, and what went back is over.
    guard known.state.mayBecome(state) else { return nil }
    known.state = state
    try payments.save(known, now, connection)
    return known
  }

  /// Takes a paid order back. `tellProvider` is false when it is the provider that tells.
  func refund(
    _ order: inout Order, because reason: RevocationReason, tellProvider: Bool, _ now: Date,
    _ connection: any SQLConnection
  ) throws {
    // Owned by another order: there is no money of this one.
    guard order.duplicateOf == nil else { throw OrderTransitionError.notPaid }
    let owedRefund = order.state.owesRefund
    guard try order.state.handle(.refunded(reason), at: now) == .changed else { return }
    try orders.update(order, now: now, connection)
    let payment = try order.paymentID.flatMap { try payments.payment($0, connection) }
    if owedRefund {
      if let payment { try returned(payment, of: order, now, connection) }
    } else {
      try ledger.refund(order, now, connection)
      try sign(&order, now, connection)
      try revokeDuplicates(of: order, now, connection)
    }
    if tellProvider, let payment { try askForRefund(payment, now, connection) }
  }

  /// The order that already gives an account what another one asks for.
  func owned(like order: Order, _ now: Date, _ connection: any SQLConnection) throws -> Order? {
    guard order.product.message.kind.isRestorable else { return nil }
    return try orders.orders(
      account: order.accountID, app: order.appID,
      where: "o.product_id = $3 AND o.state = 'paid' AND o.duplicate_of IS NULL",
      [.text(order.product.message.id)], connection
    ).last { $0.isOwned(at: now) }
  }

  /// Makes an order that asks for what is owned already: given at once, nothing charged, nothing in the books.
  func makeDuplicate(_ order: inout Order, of owned: Order) {
    order.state = OrderState(stage: .paid)
    order.paidAt = owned.paidAt
    order.expiresAt = owned.expiresAt
    order.duplicateOf = owned.id
    order.receipt = owned.receipt
  }

  private func succeed(
    _ order: inout Order, _ payment: Payment, _ isCurrent: Bool, _ now: Date, _ connection: any SQLConnection
  ) throws {
    guard isCurrent, order.duplicateOf == nil else { return try giveBack(payment, of: order, now, connection) }
    switch try order.state.handle(.paymentSucceeded, at: now) {
    case .unchanged: return
    case .paidAfterCancel:
      order.paymentID = payment.id
      try orders.update(order, now: now, connection)
      try giveBack(payment, of: order, now, connection)
    case .changed:
      order.paymentID = payment.id
      // Another order for the same thing was paid while this payment was on its way.
      if let owned = try owned(like: order, now, connection) {
        order.keepFirstPrice()
        makeDuplicate(&order, of: owned)
        try orders.update(order, now: now, connection)
        return try giveBack(payment, of: order, now, connection)
      }
      if order.price != payment.amount {
        // The provider was handed an earlier price: what was charged is what the books say.
        order.price = payment.amount
        order.priceText = payment.amount.formatted(country: order.country, language: order.language ?? "en")
      }
      order.paidAt = now
      order.expiresAt = order.expiry(paidAt: now)
      try orders.update(order, now: now, connection)
      try ledger.sale(order, provider: payments.provider, now, connection)
      try sign(&order, now, connection)
    }
  }

  private func refunded(
    _ order: inout Order, _ payment: Payment, _ isCurrent: Bool, _ now: Date, _ connection: any SQLConnection
  ) throws {
    guard isCurrent, order.duplicateOf == nil else { return try returned(payment, of: order, now, connection) }
    guard order.state.stage == .paid || order.state.owesRefund else {
      // Told before the payment itself: it will not count any more, and the order is the buyer's again.
      return try move(&order, .paymentDeclined, payment.id, now, connection)
    }
    try refund(&order, because: .refund, tellProvider: false, now, connection)
  }

  private func move(
    _ order: inout Order, _ event: OrderEvent, _ paymentID: String, _ now: Date, _ connection: any SQLConnection
  ) throws {
    guard try order.state.handle(event, at: now) == .changed else { return }
    order.paymentID = paymentID
    try orders.update(order, now: now, connection)
  }

  /// Money that no order takes goes back at once.
  private func giveBack(_ payment: Payment, of order: Order, _ now: Date, _ connection: any SQLConnection) throws {
    try ledger.surplus(
      order, payment: payment.id, payment.amount, provider: payments.provider, now, connection)
    try askForRefund(payment, now, connection)
  }

  private func returned(_ payment: Payment, of order: Order, _ now: Date, _ connection: any SQLConnection) throws {
    let kinds = try Ledger.entries(of: order.id, connection).map(\.kind)
    guard kinds.contains("surplus:\(payment.id)") else { return }
    try ledger.surplusReturned(
      order, payment: payment.id, payment.amount, provider: payments.provider, now, connection)
  }

  private func askForRefund(_ payment: Payment, _ now: Date, _ connection: any SQLConnection) throws {
    try outbox.add(OutboxKind.refund, try OutboxKind.payload(payment), due: now, connection)
  }

  private func sign(_ order: inout Order, _ now: Date, _ connection: any SQLConnection) throws {
    guard let purchase = order.purchase(fetchedAt: now) else { return }
    let receipt = try keys.active().sign(PurchaseJSON.history([purchase]))
    order.receipt = receipt
    try orders.setReceipt(receipt, of: order.id, connection)
  }

  private func revokeDuplicates(of order: Order, _ now: Date, _ connection: any SQLConnection) throws {
    let duplicates = try orders.orders(
      account: order.accountID, app: order.appID, where: "o.duplicate_of = $3", [.text(order.id.lowercase)],
      connection)
    for var duplicate in duplicates {
      guard let revocation = order.state.revocation else { return }
      guard try duplicate.state.handle(.refunded(revocation.reason), at: now) == .changed else { continue }
      try orders.update(duplicate, now: now, connection)
    }
  }
}

/// The kinds of outbox rows that go to the payment provider.
enum OutboxKind {
  static let start = "payment.start"
  static let confirm = "payment.confirm"
  static let refund = "payment.refund"
  static let sandboxEvent = "sandbox.event"

  static func payload(_ payment: Payment) throws -> String {
    String(decoding: try JSONEncoder().encode(payment.handedOver), as: UTF8.self)
  }

  static func payment(_ payload: String) throws -> ProviderPayment {
    try JSONDecoder().decode(ProviderPayment.self, from: Data(payload.utf8))
  }
}
