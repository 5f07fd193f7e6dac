import Foundation
import OnsideAPI
import OnsideCommerce

/// Orders of the local store: `OrderState` decides how each may change, as at a store over HTTP.
extension LocalShop {
  mutating func makeOrder(
    _ id: OrderID, request: OrderRequest, by account: AccountID, at now: Date, way: LocalOfferWay = .name
  ) throws(StoreError) -> OrderMessage {
    try check(account)
    if let known = book.orders[id] {
      guard known.owner == account, known.isAnswer(to: request) else { throw .refused(.idempotencyKeyReused) }
      return known.message
    }
    guard request.country == storefront else { throw .storefrontChanged(storefront) }
    guard let product = catalogue[request.productID], let message = message(of: product, for: account, at: now) else {
      throw .refused(.productNotAvailable)
    }
    if isBlockedByPlan(product, for: account) { throw .refused(.subscriptionActive) }
    let offer = try offer(named: request.offer?.id, of: product, for: account, by: way, at: now)
    let regular = try price(of: message, quantity: request.quantity)
    var order = LocalOrder(
      owner: account,
      message: OrderMessage(
        id: id, product: message, quantity: request.quantity, state: .open, country: storefront,
        price: price(offer?.price) ?? regular,
        appAccountToken: request.appAccountToken, createdAt: now),
      offer: offer, offerID: request.offer?.id)
    if let owned = alreadyOwned(product, by: account, at: now), runningPlan(of: order, at: now) == nil {
      order.become(duplicateOf: owned)
    }
    record(order)
    return order.message
  }

  func order(_ id: OrderID, of account: AccountID) throws(StoreError) -> OrderMessage {
    try check(account)
    guard let order = book.orders[id], order.owner == account else { throw .notFound }
    return order.message
  }

  /// Cancels an open order, and leaves any other as it is.
  mutating func cancel(_ id: OrderID, of account: AccountID, at now: Date) throws(StoreError) -> OrderMessage {
    _ = try order(id, of: account)
    giveUp(id, because: .user, at: now)
    return try order(id, of: account)
  }

  /// Marks a paid order as finished, and records the device.
  mutating func finish(_ id: OrderID, of account: AccountID, on device: UUID, at now: Date) throws(StoreError) {
    var state = try order(id, of: account).orderState
    guard (try? state.handle(.finished, at: now)) != nil else { throw .refused(.orderNotFinal) }
    change(id) { $0.message.apply(state) }
    let paying = book.orders[id]?.message.duplicateOf ?? id
    let devices = (book.orders[paying]?.finishedOn ?? []).union([device])
    // This is no change of the order: no other device is told.
    book.orders[paying]?.finishedOn = devices
  }

  /// Marks an order as paid; a product that the account owns already makes it a duplicate, which costs nothing.
  mutating func pay(_ id: OrderID, at now: Date) {
    let product = book.orders[id].flatMap { catalogue[$0.message.product.id] }
    if let product, let owner = book.orders[id]?.owner, isBlockedByPlan(product, for: owner) {
      return cancelUnpaid(id, because: .subscriptionActive, at: now)
    }
    if let product, isOfferUsed(by: id, of: product, at: now) { return cancelUnpaid(id, because: .offerUsed, at: now) }
    changeRenewal(by: id, at: now)
    if endAsDuplicate(id, at: now) { return }
    guard var order = book.orders[id], order.pay(at: now) else { return }
    if let owned = product.flatMap({ alreadyOwned($0, by: order.owner, at: now) }) {
      order.become(duplicateOf: owned)
      return record(order)
    }
    record(order)
    if let product, let subscription = product.subscription {
      subscribe(id, to: product, subscription: subscription, at: now)
    }
  }

  /// Whether the offer that an order names cannot be had any more.
  private func isOfferUsed(by id: OrderID, of product: Product, at now: Date) -> Bool {
    guard let order = book.orders[id], order.offer?.kind != .introductory, let name = order.offerID,
      let offer = product.subscription?.offers.first(where: { $0.id == name })
    else { return false }
    return !allows(offer, of: product, for: order.owner, by: .code, at: now)
  }

  /// Makes the payment of an open order wait for an approval, or for an issue to be resolved.
  mutating func setWaiting(_ id: OrderID, for waiting: LocalOrder.Waiting, at now: Date) {
    change(id) { $0.setWaiting(for: waiting, at: now) }
  }

  /// Cancels an order that is not paid, also while its payment waits.
  mutating func cancelUnpaid(_ id: OrderID, because reason: CancelReason, at now: Date) {
    change(id) { $0.decline(at: now) }
    giveUp(id, because: reason, at: now)
  }

  /// Cancels an open order; one for a plan that the account has already ends as its duplicate.
  mutating func giveUp(_ id: OrderID, because reason: CancelReason, at now: Date) {
    if !endAsDuplicate(id, at: now) { change(id) { $0.cancel(because: reason, at: now) } }
  }

  /// Ends an open order for a plan that the account has already as its duplicate; false for any other order.
  private mutating func endAsDuplicate(_ id: OrderID, at now: Date) -> Bool {
    guard var order = book.orders[id], order.message.state == .open, order.offerID == nil,
      let product = catalogue[order.message.product.id], product.subscription != nil,
      let owned = alreadyOwned(product, by: order.owner, at: now)
    else { return false }
    order.become(duplicateOf: owned)
    record(order)
    return true
  }

  /// The place of the subscription whose next renewal an order can change, instead of buying its plan again: the
  /// renewal is off, another plan is chosen, or the order has an offer.
  private func runningPlan(of order: LocalOrder, at now: Date) -> Int? {
    book.subscriptions.firstIndex {
      let machine = $0.machine
      guard $0.owner == order.owner, machine.isBeforeRenewalCharge(of: order.message.product.id, at: now) else {
        return false
      }
      if order.offerID != nil, let kind = order.offer?.kind, let plan = regularPlan(of: order) {
        return machine.canAcceptOffer(kind, of: plan, at: now)
      }
      return !machine.autoRenews || machine.nextPlan != nil
    }
  }

  /// Accepts the offer of an unpaid order for the running plan, or withdraws the chosen plan and switches the renewal
  /// on, at the price that the buyer saw.
  private mutating func changeRenewal(by id: OrderID, at now: Date) {
    guard let order = book.orders[id], order.message.state == .open || order.message.state == .processing,
      let index = runningPlan(of: order, at: now), let plan = book.subscriptions[index].machine.period?.plan
    else { return }
    if order.offerID != nil, let offer = order.offer, let regular = regularPlan(of: order) {
      handle(.offerAccepted(offer, of: regular), of: index, at: now)
      return
    }
    handle(.planChosen(plan), of: index, at: now)
    if book.subscriptions[index].machine.awaitsConsent { handle(.priceAnswered(accepted: true), of: index, at: now) }
    handle(.autoRenewSwitched(on: true), of: index, at: now)
  }

  private func regularPlan(of order: LocalOrder) -> SubscriptionPlan? {
    guard let product = catalogue[order.message.product.id], let subscription = product.subscription else { return nil }
    return plan(of: product, subscription)
  }

  /// Revokes a purchase; returns whether there was one.
  mutating func refund(_ id: OrderID, reason: RevocationReason, at now: Date) -> Bool {
    guard var order = book.orders[id], order.message.duplicateOf == nil, order.refund(reason, at: now) else {
      return false
    }
    record(order)
    // Duplicates, which were free because this order was owned, are revoked with it.
    for duplicate in duplicates(of: id) { change(duplicate) { _ = $0.refund(reason, at: now) } }
    revokePeriod(of: id, reason, at: now)
    return true
  }

  func duplicates(of id: OrderID) -> [OrderID] {
    orders { $0.message.duplicateOf == id }.map(\.message.id)
  }
}

extension CancelReason {
  /// The account has a plan that another one follows with the next renewal only.
  fileprivate static let subscriptionActive = CancelReason(rawValue: "subscription_active")
  /// The account may not have the offer any more.
  fileprivate static let offerUsed = CancelReason(rawValue: "offer_used")
}

extension LocalOrder {
  /// Whether this is the order that the request has made.
  fileprivate func isAnswer(to request: OrderRequest) -> Bool {
    message.product.id == request.productID && message.quantity == request.quantity
      && message.country == request.country
      && message.appAccountToken == request.appAccountToken
      && request.offer.map { $0.id == offerID } ?? (offerID == nil)
  }
}
