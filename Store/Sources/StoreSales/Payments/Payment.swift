import Foundation
import OnsideCommerce
import StoreBase
import StorePayments

/// A payment: one attempt to pay an order.
struct Payment: Sendable {
  /// Seconds after the start of a payment on the order's page, during which nothing is charged without the buyer.
  static let pageTime: TimeInterval = 30 * 60

  typealias State = PaymentState

  let id: String
  let orderID: UUID
  /// The provider of the payment.
  let provider: String
  /// The provider's id of a saved method, or the value of one of its choices; nil for a payment that was made on the
  /// provider's page.
  let method: String?
  /// A Boolean value that indicates whether ``method`` is a saved method.
  var isSaved = false
  /// A Boolean value that indicates whether the method is saved for later payments.
  var remembers = false
  /// The buyer, if the payment page stated the renewal of the subscription: the method becomes the subscription's.
  var renewalGiver: SubscriptionConsent.Giver?
  var amount: Money
  var state: State
  /// The reason of a declined payment.
  var decline: DeclineReason?
  /// The provider's id of the charge, after its report.
  var reference: String?
  /// The country of the buyer's network, if the operator's proxy reports it.
  var networkCountry: CountryCode?
  /// The number of calls of the provider that move the money. Answers to earlier calls are ignored.
  var step: Int64 = 0

  /// A Boolean value that indicates whether the account owns a card that is entered for the payment.
  var givesAccountMethod: Bool { !isSaved && (remembers || renewalGiver == .account) }

  /// A Boolean value that indicates whether the store has started the payment. Otherwise it was made on the provider's
  /// page.
  var isOurs: Bool { method != nil }
}

extension ChargeRequest {
  /// The request of an account's payment for its provider.
  init(
    _ payment: Payment, account: String, environment: StoreEnvironment, fields: [String: String] = [:],
    askedAt: Date? = nil, startBefore: Date? = nil, period: ChargedPeriod? = nil
  ) {
    self.init(
      id: payment.id, orderID: payment.orderID.lowercase, account: account, provider: payment.provider,
      environment: environment, method: payment.method ?? "", isSaved: payment.isSaved,
      remembers: payment.remembers || payment.renewalGiver != nil && !payment.isSaved,
      fields: fields, amount: payment.amount.minorUnits, currency: payment.amount.currency.code,
      reference: payment.reference, step: payment.step, askedAt: askedAt, startBefore: startBefore,
      period: period)
  }
}
