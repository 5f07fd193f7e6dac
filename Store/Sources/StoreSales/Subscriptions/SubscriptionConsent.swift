import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase

/// A consent to the renewals of a subscription: plan, price and payment method. The store charges no renewal beyond the
/// newest one.
struct SubscriptionConsent: Sendable, Hashable {
  /// How a consent was given.
  enum Way: String, Sendable {
    /// By a payment on a page that stated the renewal.
    case paymentPage = "payment_page"
    /// By a button of the account: on the page of the subscription or of payment methods, or of an order for the
    /// running plan.
    case subscriptionPage = "subscription_page"
    /// A higher price was announced, and the renewal paid at it.
    case notice
    /// The renewal was paid at a lower price.
    case lower
    /// Before the store recorded consents.
    case earlier
  }

  /// Who gave a consent.
  enum Giver: String, Sendable {
    /// The account, with its login.
    case account
    /// The visitor of a payment page without the account's login.
    case payer
    /// A buyer from before the store recorded who paid.
    case unknown
  }

  let id: String
  /// The product of the plan.
  var product: String
  /// The id of the ``OrderedProduct`` that renewals order.
  var orderedProduct: Int64
  /// The region of the price.
  var country: CountryCode
  /// The highest regular price of one renewal.
  var price: Money
  /// The length of a period.
  var period: Period
  /// The price of a renewal within an offer; nil without one.
  var offerPrice: Money?
  /// The id of the payment method.
  var method: String?
  let givenAt: Date
  let way: Way
  let giver: Giver

  /// A Boolean value that indicates whether the consent covers the charge of an order.
  func covers(_ order: Order) -> Bool {
    let limit = order.offerID == nil ? price : offerPrice ?? price
    return product == order.product.message.id && period == order.product.message.subscriptionPeriod
      && order.price.currency == limit.currency && order.price.minorUnits <= limit.minorUnits
  }

  /// A Boolean value that indicates whether the consent covers the regular price of a plan.
  func covers(_ plan: SubscriptionPlan) -> Bool {
    product == plan.productID && period == plan.period && plan.price.currency == price.currency
      && plan.price.minorUnits <= price.minorUnits
  }
}
