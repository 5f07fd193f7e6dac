import Foundation
public import OnsideCommerce

/// What a store, a bank and a buyer do with a subscription.
extension LocalSubscription {
  // MARK: Renewals

  /// Does now what is due next, whenever that would be: charges for the next period, or tries a refused charge again.
  /// When the charge is refused, the present period counts as over. The clock does not move.
  public func renew() throws(LocalSubscriptionError) {
    try change { shop, index, now throws(LocalSubscriptionError) in try shop.renew(index, at: now) }
  }

  /// Ends it now, without another renewal.
  public func expire() throws(LocalSubscriptionError) {
    try change { shop, index, now throws(LocalSubscriptionError) in shop.expire(index, at: now) }
  }

  /// Switches the renewal off, as the buyer would. What is paid goes on to its end.
  public func switchOffRenewal() throws(LocalSubscriptionError) {
    try change { shop, index, now throws(LocalSubscriptionError) in
      try shop.switchRenewal(of: index, on: false, at: now)
    }
  }

  /// Switches the renewal on again, as the buyer would. A price that is asked about, or was declined, is accepted by
  /// it.
  public func switchOnRenewal() throws(LocalSubscriptionError) {
    try change { shop, index, now throws(LocalSubscriptionError) in
      try shop.switchRenewal(of: index, on: true, at: now)
    }
  }

  // MARK: Billing

  /// Lets the next charges be refused.
  /// - Parameters:
  ///   - issue: why, which decides whether they are tried again by themselves.
  ///   - times: how many; all until ``fixBilling()`` unless given.
  public func fail(
    _ issue: LocalBillingIssue = .cardDeclined, times: Int? = nil
  ) throws(LocalSubscriptionError) {
    try change { shop, index, _ throws(LocalSubscriptionError) in
      shop.book.subscriptions[index].refusals = LocalRefusals(issue: issue, left: times)
    }
  }

  /// Ends the refusals, as a buyer who adds another card: a payment that is due is made at once.
  public func fixBilling() throws(LocalSubscriptionError) {
    try change { shop, index, now throws(LocalSubscriptionError) in
      shop.book.subscriptions[index].refusals = nil
      shop.handle(.retryRequested, of: index, at: now, isPaid: true)
    }
  }

  /// Gives the money of the last paid period back, which ends the subscription. Apps are told with
  /// `revokedTransactions`.
  public func refund(_ reason: RevocationReason = .refund) throws(LocalSubscriptionError) {
    try change { shop, index, now throws(LocalSubscriptionError) in
      try shop.refundLastPeriod(of: index, reason: reason, at: now)
    }
  }

  // MARK: Price

  /// Changes the price of its product: for new subscribers now, for this one from its next renewal on. Unless told, the
  /// standard `PriceRiseRules` decide whether the account is asked first; without an answer it ends with its period.
  /// - Parameters:
  ///   - price: such as `"12.99"`, in the currency of the subscription. A lower one never needs consent.
  ///   - needsConsent: whether the account is asked; the rules decide unless given.
  /// - Returns: whether the account is asked.
  @discardableResult
  public func raisePrice(to price: String, needsConsent: Bool? = nil) throws(LocalSubscriptionError) -> Bool {
    try change { shop, index, now throws(LocalSubscriptionError) in
      try shop.changePrice(of: index, to: price, needsConsent: needsConsent, at: now)
    }
  }

  /// Agrees to the price that the account is asked about.
  public func consentToPriceRise() throws(LocalSubscriptionError) { try answer(accepts: true) }

  /// Refuses the price that the account is asked about: the subscription ends with its period.
  public func declinePriceRise() throws(LocalSubscriptionError) { try answer(accepts: false) }

  // MARK: Plans and pauses

  /// Takes another plan of the group, as the buyer would on the page of the subscription: a higher one, or one of the
  /// same level and length, is bought at once and the unused part of the present one goes back; every other one starts
  /// with the next renewal. The present plan takes such a choice back.
  public func change(to productIdentifier: String) throws(LocalSubscriptionError) {
    try change { shop, index, now throws(LocalSubscriptionError) in
      try shop.changePlan(of: index, to: productIdentifier, at: now)
    }
  }

  /// Plans a pause from the end of the paid period on.
  /// - Parameter months: 1, 2 or 3; by then it goes on by itself, with a charge.
  public func pause(months: Int) throws(LocalSubscriptionError) {
    try change { shop, index, now throws(LocalSubscriptionError) in try shop.pause(index, months: months, at: now) }
  }

  /// Ends a pause, with a charge, or takes a planned one back.
  public func resume() throws(LocalSubscriptionError) { try tell(.resumed) }

  // MARK: Helpers

  private func answer(accepts: Bool) throws(LocalSubscriptionError) {
    try change { shop, index, now throws(LocalSubscriptionError) in
      guard shop.book.subscriptions[index].machine.awaitsConsent else {
        throw LocalSubscriptionError(
          .noQuestion,
          "expected \(identifier) to ask for consent to a price, but it does not: call raisePrice(to:) first")
      }
      shop.handle(.priceAnswered(accepted: accepts), of: index, at: now)
    }
  }

  private func tell(_ event: SubscriptionEvent) throws(LocalSubscriptionError) {
    try change { shop, index, now throws(LocalSubscriptionError) in
      if let refusal = shop.handle(event, of: index, at: now) {
        throw LocalSubscriptionError(refusal: refusal, of: identifier)
      }
    }
  }

  private func change<Value: Sendable>(
    _ body: (inout LocalShop, Int, Date) throws(LocalSubscriptionError) -> Value
  ) throws(LocalSubscriptionError) -> Value {
    try store.control { shop, now throws(LocalSubscriptionError) in
      guard let index = shop.subscription(identifier, of: account),
        shop.book.subscriptions[index].machine.isSubscribed
      else {
        throw LocalSubscriptionError(.notSubscribed, shop.absence(of: identifier, for: account))
      }
      return try body(&shop, index, now)
    }
  }
}
