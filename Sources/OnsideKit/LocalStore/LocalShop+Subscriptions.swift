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
      let terms = SubscriptionTerms(timeRate: settings.timeRate, grantsGrace: settings.billingGracePeriodEnabled)
      book.subscriptions.append(
        LocalSubscription(
          owner: order.owner, groupID: subscription.groupID, machine: SubscriptionMachine(terms: terms), first: id))
    }
    let index = known ?? book.subscriptions.count - 1
    // A copy: Swift 6.3 cannot optimize this function when it reads the machine in its place.
    let machine = book.subscriptions[index].machine
    if machine.entitledUntil == nil { book.subscriptions[index].first = id }
    book.subscriptions[index].appAccountToken = order.message.appAccountToken
    let isNew = machine.isEligibleForIntroductoryOffer
    handle(.purchased(plan, offer: isNew ? order.offer : nil), of: index, at: now, paying: id)
  }

  /// Handles an account's order for the plan that it has, or for a plan that starts with the next renewal.
  mutating func choosePlan(of product: Product, by account: AccountID, at now: Date) {
    guard let subscription = product.subscription, let plan = plan(of: product, subscription),
      let index = book.subscriptions.firstIndex(where: { $0.owner == account && $0.groupID == subscription.groupID })
    else { return }
    handle(.planChosen(plan), of: index, at: now)
    if !book.subscriptions[index].machine.autoRenews { handle(.autoRenewSwitched(on: true), of: index, at: now) }
  }

  /// Handles the refund of a period.
  mutating func revokePeriod(of id: OrderID, _ reason: RevocationReason, at now: Date) {
    for index in book.subscriptions.indices {
      guard let number = book.subscriptions[index].orders.first(where: { $0.value == id })?.key else { continue }
      handle(.refunded(period: number, reason), of: index, at: now)
    }
  }

  /// Runs the next due event of a subscription now; returns whether there is one.
  mutating func runNextEvent(_ productID: String, of name: String, at now: Date) -> Bool {
    guard let index = subscription(to: productID, of: name), let due = book.subscriptions[index].machine.wakesAt
    else { return false }
    handle(.clock, of: index, at: max(due, now), paidAt: now)
    return true
  }

  /// Ends a subscription; returns whether there is one.
  mutating func expire(_ productID: String, of name: String, at now: Date) -> Bool {
    guard let index = subscription(to: productID, of: name), book.subscriptions[index].machine.isSubscribed
    else { return false }
    let last = book.subscriptions[index].machine.period.flatMap { book.subscriptions[index].orders[$0.number] }
    handle(.autoRenewSwitched(on: false), of: index, at: now)
    if let due = book.subscriptions[index].machine.wakesAt { handle(.clock, of: index, at: max(due, now)) }
    if let last { change(last) { $0.message.expiresAt = now } }
    return true
  }

  mutating func switchAutoRenew(on: Bool, _ productID: String, of name: String, at now: Date) -> Bool {
    guard let index = subscription(to: productID, of: name), book.subscriptions[index].machine.isSubscribed
    else { return false }
    handle(.autoRenewSwitched(on: on), of: index, at: now)
    return true
  }

  private func subscription(to productID: String, of name: String) -> Int? {
    let owner = book.accounts.first { $0.name == name }?.id
    return book.subscriptions.firstIndex { $0.owner == owner && $0.machine.period?.plan.productID == productID }
  }

  /// Gives an event to the machine and carries out the effects. `paying` is the order that a purchase was paid with.
  mutating func handle(
    _ event: SubscriptionEvent, of index: Int, at now: Date, paying: OrderID? = nil, paidAt: Date? = nil
  ) {
    var effects = book.subscriptions[index].machine.handle(event, at: now)[...]
    while let effect = effects.popFirst() {
      switch effect {
      case .charge(let charge):
        let answer: SubscriptionEvent =
          settings.renewalBillingIssuesEnabled ? .chargeFailed(charge) : .chargeSucceeded(charge)
        effects += book.subscriptions[index].machine.handle(answer, at: now)
      case .began(let period):
        if let paying { start(period, of: index, with: paying) } else { renew(period, of: index, at: paidAt ?? now) }
      case .refundUnused, .refundCharge, .askConsent, .graceBegan, .retryBegan, .paused, .expired, .revoked, .refused:
        note(effect, of: index)
      }
    }
  }

  private mutating func start(_ period: PaidPeriod, of index: Int, with id: OrderID) {
    let first = book.subscriptions[index].first
    book.subscriptions[index].orders[period.number] = id
    change(id) {
      $0.message.expiresAt = period.end
      $0.message.originalOrderID = first
      if period.offer == nil { $0.message.price = $0.message.product.price }
    }
  }

  private mutating func renew(_ period: PaidPeriod, of index: Int, at now: Date) {
    let subscription = book.subscriptions[index]
    let before = subscription.orders[period.number - 1].flatMap { book.orders[$0]?.message }
    let known = before?.product.id == period.plan.productID ? before?.product : nil
    guard
      let product = known ?? catalogue[period.plan.productID].flatMap({ message(of: $0, for: subscription.owner) }),
      let price = price(period.price)
    else { return }
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
