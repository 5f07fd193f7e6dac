import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase
import StorePayments
import StoreWeb

/// What a message about a subscription tells besides itself, as it is when it is sent.
struct SubscriberMessageFacts: Sendable {
  /// Why a period is unpaid.
  enum Refusal: Sendable {
    case refused
    /// The bank wants the buyer to confirm it.
    case asksBuyer
    /// There is no method to charge.
    case noMethod
  }

  let message: SubscriberMessage
  /// The plan that the price is of.
  let product: ProductMessage
  /// The region of the price.
  let country: CountryCode
  let language: Language
  /// The last paid period.
  let period: PaidPeriod
  /// Until when an unpaid subscription can be used; nil when it cannot.
  let entitledUntil: Date?
  let refusal: Refusal
  /// A Boolean value that indicates whether the subscription keeps its price without consent to a new one.
  let keepsPriceWithoutConsent: Bool
  /// The day that is told: that of the charge, which comes before the period that it pays, or that of a new price.
  let date: Date

  /// Nil when what the message is about is not there any more.
  static func read(
    _ message: SubscriberMessage, of subscription: StoredSubscription, orders: OrderRecords,
    in connection: any SQLConnection
  ) throws -> SubscriberMessageFacts? {
    let machine = subscription.machine
    guard let period = machine.period, let last = try orders.order(subscription.lastOrder, in: connection)
    else { return nil }
    var (product, country) = (last.product.message, last.country)
    if product.id != message.product {
      guard let consent = try SubscriptionConsentRecords.present(of: subscription, in: connection),
        consent.product == message.product
      else { return nil }
      product = try orders.products.product(consent.orderedProduct, in: connection).message
      country = consent.country
    }
    return SubscriberMessageFacts(
      message: message, product: product, country: country,
      language: Language.best(of: last.language.map { [$0] } ?? []), period: period,
      entitledUntil: machine.graceUntil ?? machine.entitledUntil,
      refusal: try refusal(of: subscription.renewalOrder, orders: orders, in: connection),
      keepsPriceWithoutConsent: machine.keepsPriceWithoutConsent,
      date: message.notice.isOfCharge
        ? min(message.notice.date, machine.nextChargeAt ?? message.notice.date) : message.notice.date)
  }

  private static func refusal(
    of renewal: UUID?, orders: OrderRecords, in connection: any SQLConnection
  ) throws -> Refusal {
    guard let renewal, let payment = try orders.order(renewal, in: connection)?.paymentID,
      let tried = try PaymentRecords().payment(payment, in: connection)
    else { return .noMethod }
    return tried.decline == .askBuyer || tried.state == .secondStep ? .asksBuyer : .refused
  }
}
