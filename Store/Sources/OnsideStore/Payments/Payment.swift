import Foundation
import OnsideCommerce
import StoreBase

/// A payment: one try to pay an order.
struct Payment: Sendable {
  /// Seconds after the start of a payment on the order's page, during which nothing is charged without the buyer.
  static let pageTime: TimeInterval = 30 * 60

  enum State: String, Sendable {
    case started
    case secondStep = "second_step"
    case pending
    case succeeded
    case declined
    /// Ended at the provider before any money came: no one can pay it any more.
    case cancelled
    case refunded

    /// Whether an event that tells of another state still counts. Events may arrive late or out of order: a succeeded
    /// payment can only be refunded. Nothing follows a refund but its failure, which ``RefundSettlement`` applies. A
    /// cancelled payment stays so, unless its money came before.
    func mayBecome(_ next: State) -> Bool {
      switch self {
      case .refunded: false
      case .succeeded: next == .refunded
      case .cancelled: next == .succeeded || next == .refunded
      case .pending: next != .secondStep
      case .started, .secondStep, .declined: true
      }
    }
  }

  let id: String
  let orderID: UUID
  /// The provider that was asked, or that has told of it.
  let provider: String
  /// What pays: the provider's id of a saved method, or the value of one of its choices; nil when the payment was made
  /// on the provider's own page.
  let method: String?
  /// Whether ``method`` is a saved method.
  var isSaved = false
  /// Whether the method is to be saved for the next time.
  var remembers = false
  /// The buyer, if the payment page stated the renewal of the subscription: the method becomes the subscription's.
  var renewalGiver: SubscriptionConsent.Giver?
  var amount: Money
  var state: State
  /// Why it was declined, when it was.
  var decline: DeclineReason?
  /// The provider's own id of it, once it has told.
  var reference: String?
  /// The country of the network that the buyer paid from, where the operator's proxy told it.
  var networkCountry: CountryCode?
  /// How many times the provider was called to move the money. An answer to an earlier call says nothing any more.
  var step: Int64 = 0

  /// A Boolean value that indicates whether a card that is entered for it becomes the account's own.
  var givesAccountMethod: Bool { !isSaved && (remembers || renewalGiver == .account) }

  /// Whether the store asked for it; else it was made on the provider's own page.
  var isOurs: Bool { method != nil }
}

extension ChargeRequest {
  /// A payment of an account as the provider is asked for it.
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
