import Foundation
import OnsideAPI
import OnsideCommerce

/// Subscriptions of the local store: `SubscriptionMachine` decides, and its charges are answered at once.
extension LocalShop {
  /// The most events that may become due in one step of time; beyond that the store behaves as after a long sleep.
  private static let stepLimit = 10_000
  /// The same for the time in which no process had the store open: the next launch does not run a weekend's worth of
  /// accelerated renewals.
  private static let closedLimit = 100

  /// Runs every event whose due time has passed, each at its own time.
  mutating func deliverDueEvents(until now: Date) { deliverDueEvents(until: now, atMost: Self.stepLimit) }

  /// Runs the events that became due while no process had the store open.
  mutating func catchUp(to now: Date) { deliverDueEvents(until: now, atMost: Self.closedLimit) }

  private mutating func deliverDueEvents(until now: Date, atMost limit: Int) {
    for _ in 0..<limit {
      guard let wakesAt, wakesAt <= now else { return }
      handleClockOfDue(at: wakesAt)
    }
    handleClockOfAll(at: now)
  }

  /// Handles each subscription once, at `now`; further missed periods are not made up for.
  private mutating func handleClockOfAll(at now: Date) {
    for index in book.subscriptions.indices { handle(.clock, of: index, at: now) }
  }

  /// When the next event is due; nil for none.
  var wakesAt: Date? { book.subscriptions.compactMap(\.machine.wakesAt).min() }

  private mutating func handleClockOfDue(at moment: Date) {
    for index in book.subscriptions.indices
    where book.subscriptions[index].machine.wakesAt.map({ $0 <= moment }) == true {
      handle(.clock, of: index, at: moment)
    }
  }

  /// Handles the payment of an order for a subscription.
  mutating func subscribe(_ id: OrderID, to product: Product, subscription: Subscription, at now: Date) {
    guard let order = book.orders[id], let plan = plan(of: product, subscription) else { return }
    let known = book.subscriptions.firstIndex { $0.owner == order.owner && $0.groupID == subscription.groupID }
    if known == nil {
      book.subscriptions.append(
        SubscriptionEntry(
          owner: order.owner, groupID: subscription.groupID, machine: SubscriptionMachine(terms: terms), first: id))
    }
    let index = known ?? book.subscriptions.count - 1
    // A copy: Swift 6.3 cannot optimize this function when it reads the machine in its place.
    let machine = book.subscriptions[index].machine
    let isAnotherPlan = machine.period?.plan.productID != plan.productID
    if isAnotherPlan || machine.entitledUntil == nil { book.subscriptions[index].first = id }
    book.subscriptions[index].appAccountToken = order.message.appAccountToken
    // The introductory offer may have been used while the order was open.
    let keepsOffer = order.offer?.kind != .introductory || machine.isEligibleForIntroductoryOffer
    handle(.purchased(plan, offer: keepsOffer ? order.offer : nil), of: index, at: now, paying: id)
  }

  /// The rules of billing: those of a store over HTTP, faster at an accelerated clock. Whether there is a grace period,
  /// each plan says.
  private var terms: SubscriptionTerms {
    let month = settings.timeRate.seconds(for: .oneMonth)
    return SubscriptionTerms(timeRate: settings.timeRate, leadTime: min(3600, (month ?? .infinity) / 10))
  }

  /// Handles the refund of a period.
  mutating func revokePeriod(of id: OrderID, _ reason: RevocationReason, at now: Date) {
    for index in book.subscriptions.indices {
      guard let number = book.subscriptions[index].orders.first(where: { $0.value == id })?.key else { continue }
      handle(.refunded(period: number, reason), of: index, at: now)
    }
  }

  /// Gives an event to the machine and carries out the effects; returns why the event cannot happen.
  /// - Parameters:
  ///   - paying: the order that a purchase was paid with.
  ///   - paidAt: when renewals count as paid; now unless given.
  ///   - isPaid: whether charges are paid whatever was to go wrong.
  @discardableResult
  mutating func handle(
    _ event: SubscriptionEvent, of index: Int, at now: Date, paying: OrderID? = nil, paidAt: Date? = nil,
    isPaid: Bool = false
  ) -> SubscriptionRefusal? {
    let before = book.subscriptions[index].machine
    var effects = book.subscriptions[index].machine.handle(event, at: now)[...]
    var refusal: SubscriptionRefusal?
    while let effect = effects.popFirst() {
      switch effect {
      case .charge(let charge):
        let answer = isPaid ? .chargeSucceeded(charge) : answer(to: charge, of: index)
        effects += book.subscriptions[index].machine.handle(answer, at: now)
      case .began(let period):
        if let paying {
          if before.isChange(to: period.plan) { change(paying) { $0.message.reason = .planChange } }
          start(period, of: index, with: paying, at: now)
        } else {
          renew(period, of: index, at: paidAt ?? now)
        }
      case .refused(let reason): refusal = reason
      default: carryOut(effect, of: index, at: now)
      }
      note(effect, of: index)
    }
    let after = book.subscriptions[index].machine
    if after != before { book.changes.append(LocalChange(owner: book.subscriptions[index].owner)) }
    return refusal
  }

  /// Changes the orders as an effect wants it that no payment answers.
  private mutating func carryOut(_ effect: SubscriptionEffect, of index: Int, at now: Date) {
    switch effect {
    case .refundUnused(let money, let period): giveBack(money, of: period, in: index)
    case .periodDropped(let running):
      let order = book.subscriptions[index].orders.removeValue(forKey: running.number - 1)
      book.subscriptions[index].orders[running.number] = order
    case .revoked: endNextPeriod(of: index, at: now)
    case .charge, .began, .refused, .refundCharge, .askConsent, .graceBegan, .retryBegan, .paused, .expired: break
    }
  }

  /// The next period, paid already, ends with the running one that was refunded.
  private mutating func endNextPeriod(of index: Int, at now: Date) {
    let entry = book.subscriptions[index]
    guard let last = entry.machine.period.flatMap({ entry.orders[$0.number] }),
      book.orders[last].map({ OrderState($0.message).isEntitled }) == true
    else { return }
    end([last], at: now)
  }

  private mutating func answer(to charge: SubscriptionCharge, of index: Int) -> SubscriptionEvent {
    if let issue = book.subscriptions[index].refusals?.next() { return .chargeFailed(charge, isFinal: issue.isFinal) }
    return settings.renewalBillingIssuesEnabled ? .chargeFailed(charge) : .chargeSucceeded(charge)
  }

  private mutating func giveBack(_ money: Money, of period: PaidPeriod, in index: Int) {
    guard let id = book.subscriptions[index].orders[period.number] else { return }
    change(id) { $0.givenBack = money }
  }

  /// A plan was bought: it takes the place of what the account still has in the group, or follows it.
  private mutating func start(_ period: PaidPeriod, of index: Int, with id: OrderID, at now: Date) {
    if period.start <= now {
      end(book.subscriptions[index].orders.values.sorted { $0.description < $1.description }, at: now)
    }
    book.subscriptions[index].orders[period.number] = id
    let first = book.subscriptions[index].first
    change(id) {
      $0.message.expiresAt = period.end
      $0.message.originalOrderID = first
      if period.offer == nil { $0.message.price = $0.message.product.price }
    }
  }

  /// Ends what orders have paid for, and their duplicates.
  mutating func end(_ orders: [OrderID], at now: Date) {
    for id in orders.flatMap({ [$0] + duplicates(of: $0) }) {
      change(id) { $0.message.expiresAt = $0.message.expiresAt.map { min($0, now) } }
    }
  }

  private mutating func renew(_ period: PaidPeriod, of index: Int, at now: Date) {
    let subscription = book.subscriptions[index]
    let before = subscription.orders[period.number - 1].flatMap { book.orders[$0]?.message }
    let known = before?.product.id == period.plan.productID ? before?.product : nil
    guard
      var product = known
        ?? catalogue[period.plan.productID].flatMap({ message(of: $0, for: subscription.owner, at: now) }),
      let price = price(period.price), let regular = self.price(period.plan.price)
    else { return }
    product.price = regular
    let id = OrderID(newID(at: now))
    book.subscriptions[index].orders[period.number] = id
    record(
      LocalOrder(
        owner: subscription.owner,
        message: OrderMessage(
          id: id, product: product, state: .paid, reason: .renewal, country: storefront, price: price,
          appAccountToken: subscription.appAccountToken, createdAt: now, paidAt: now, expiresAt: period.end,
          originalOrderID: subscription.first)))
  }
}
