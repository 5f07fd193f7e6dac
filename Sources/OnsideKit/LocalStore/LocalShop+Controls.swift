import Foundation
import OnsideAPI
import OnsideCommerce

/// What the controls of a subscription do. `index` is its place in the book; it runs, and its clock has done what is
/// due.
extension LocalShop {
  /// The place of an account's subscription in the book, by its present product or by its group.
  func subscription(_ identifier: String, of name: String) -> Int? {
    let owner = book.accounts.first { $0.name == name }?.id
    return book.subscriptions.firstIndex {
      $0.owner == owner && ($0.machine.period?.plan.productID == identifier || $0.groupID == identifier)
    }
  }

  /// The group that an identifier names: a product's, or itself.
  func group(of identifier: String) -> String { catalogue[identifier]?.subscription?.groupID ?? identifier }

  /// Why nothing can happen to a subscription: what the account has in its place, and what to do.
  func absence(of identifier: String, for name: String) -> String {
    let expected = "expected \(name) to have a subscription to \(identifier)"
    let group = group(of: identifier)
    guard configuration.products.contains(where: { $0.subscription?.groupID == group }) else {
      return "\(expected), but the store sells no subscription with this product or group"
    }
    guard let machine = subscription(group, of: name).map({ book.subscriptions[$0].machine }),
      let product = machine.period?.plan.productID
    else { return "\(expected), but there never was one: buy it first" }
    if machine.isSubscribed {
      return "\(expected), but it is one to \(product) by now: name that, or the group \(group)"
    }
    return "\(expected), but that is over: buy it again first"
  }

  /// Runs the next due event now. After a refused charge the period counts as over.
  mutating func renew(_ index: Int, at now: Date) throws(LocalSubscriptionError) {
    let machine = book.subscriptions[index].machine
    guard let due = machine.wakesAt else {
      throw LocalSubscriptionError(
        .paused, "expected \(name(of: index)) to have a next period, but it is paused: resume it")
    }
    guard machine.autoRenews else { throw LocalSubscriptionError(.notRenewing, of: name(of: index)) }
    handle(.clock, of: index, at: max(due, now), paidAt: now)
    let after = book.subscriptions[index].machine
    if after.stage == .active, after.isBeingRenewed, let end = after.period?.end {
      handle(.clock, of: index, at: max(end, now), paidAt: now)
    }
  }

  /// Ends it now, with everything that was paid.
  mutating func expire(_ index: Int, at now: Date) {
    handle(.autoRenewSwitched(on: false), of: index, at: now)
    let machine = book.subscriptions[index].machine
    if machine.isSubscribed, let due = machine.wakesAt { handle(.clock, of: index, at: max(due, now)) }
    end(book.subscriptions[index].orders.values.sorted { $0.description < $1.description }, at: now)
  }

  /// Takes the last paid period back.
  mutating func refundLastPeriod(
    of index: Int, reason: RevocationReason, at now: Date
  ) throws(LocalSubscriptionError) {
    let entry = book.subscriptions[index]
    guard let order = entry.machine.period.flatMap({ entry.orders[$0.number] }), refund(order, reason: reason, at: now)
    else {
      throw LocalSubscriptionError(.notSubscribed, "expected \(name(of: index)) to have a paid period, found none")
    }
  }

  /// Switches the renewal on or off. Who switches it on agrees to the price that is asked about, as on the store's
  /// page.
  mutating func switchRenewal(of index: Int, on: Bool, at now: Date) throws(LocalSubscriptionError) {
    if on, book.subscriptions[index].machine.awaitsConsent {
      handle(.priceAnswered(accepted: true), of: index, at: now)
    }
    if let refusal = handle(.autoRenewSwitched(on: on), of: index, at: now) {
      throw LocalSubscriptionError(refusal: refusal, of: name(of: index))
    }
  }

  /// Plans a pause of some months from the end of the paid period on.
  mutating func pause(_ index: Int, months: Int, at now: Date) throws(LocalSubscriptionError) {
    guard 1...3 ~= months else {
      throw LocalSubscriptionError(.invalidValue, "expected a pause of 1, 2 or 3 months, got \(months)")
    }
    let machine = book.subscriptions[index].machine
    if case .paused = machine.stage {
      throw LocalSubscriptionError(.paused, "expected \(name(of: index)) to run, but it is paused: resume it first")
    }
    let end = machine.period?.end ?? now
    let month = settings.timeRate.seconds(for: .oneMonth)
    let until = month.map { end + $0 * Double(months) } ?? Period.oneMonth.adding(to: end, times: months)
    if let refusal = handle(.pauseRequested(until: until), of: index, at: now) {
      throw LocalSubscriptionError(refusal: refusal, of: name(of: index))
    }
  }

  /// Takes another plan of the group: at once when the rules say so, which is a purchase, or with the next renewal.
  mutating func changePlan(of index: Int, to id: String, at now: Date) throws(LocalSubscriptionError) {
    let entry = book.subscriptions[index]
    guard let product = catalogue[id], let subscription = product.subscription, subscription.groupID == entry.groupID,
      let plan = plan(of: product, subscription)
    else {
      throw LocalSubscriptionError(
        .notSold, "expected a plan of the group \(entry.groupID) that the store sells, got \(id)")
    }
    guard entry.machine.start(of: plan) == .atOnce else {
      guard let refusal = handle(.planChosen(plan), of: index, at: now) else { return }
      throw LocalSubscriptionError(refusal: refusal, of: name(of: index))
    }
    let request = OrderRequest(productID: id, country: storefront, appAccountToken: entry.activeToken)
    let order = OrderID(newID(at: now))
    do throws(StoreError) {
      _ = try makeOrder(order, request: request, by: entry.owner, at: now)
    } catch {
      throw LocalSubscriptionError(.notSold, "expected the store to sell \(id), but it does not: \(error)")
    }
    pay(order, at: now)
  }

  /// The product of a subscription, for messages.
  func name(of index: Int) -> String {
    book.subscriptions[index].machine.period?.plan.productID ?? book.subscriptions[index].groupID
  }
}
