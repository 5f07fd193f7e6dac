public import Foundation
public import OnsideAPI
public import OnsideCommerce
public import StorePayments

/// What a payment page shows of an order.
public struct PaymentPage: Sendable {
  /// The order, a UUID in lower case.
  public var orderID: String
  /// The account that pays.
  public var accountID: String
  /// The app that sells.
  public var appID: String
  /// The product as it was ordered, with texts in the order's language.
  public var product: ProductMessage
  /// How many.
  public var quantity: Int
  /// What would be charged now.
  public var price: Money
  /// The price as people of the storefront write it.
  public var priceText: String
  /// True for the next period of a subscription, which its account pays by hand.
  public var isRenewal: Bool
  /// The plan that the account has already and can renew on the page; nil for an order that is to be paid.
  var running: RunningPlan?
  /// True for an open order whose plan the account has, and renews: it ends as a duplicate.
  var isOwnedPlan: Bool
  /// The plan of the account that ends when this one is paid; nil when none does.
  public var replaces: PlanReplacement?
  /// The offer that the price is of, if it is.
  public var offer: OfferMessage?
  /// The region that the order runs in.
  public var country: CountryCode
  /// The language that the app asked for, BCP 47.
  public var language: String?
  /// Where the order stands.
  public var state: OrderState.Stage
  /// Why it was given up, when it was.
  public var cancelReason: CancelReason?
  /// True when money has come that the order could not take: it goes back to the buyer.
  public var isMoneyReturned: Bool
  /// When it expires while it is open.
  public var expiresAt: Date
  /// True once a browser was given the page.
  public var isPageOpened: Bool
  /// True while a payment waits for its second step.
  public var awaitsSecondStep: Bool
  /// True while a payment waits whose card becomes the account's own, because a browser with its login has begun it.
  public var awaitsAccount: Bool
  /// The account's saved methods, the newest first.
  public var savedMethods: [SavedPaymentMethod]
}

/// What the buyer pays with.
public enum PaymentChoice: Sendable, Hashable {
  /// One of the provider's choices, by its value, with what the provider's own fields of the page have sent. It is
  /// saved for the next time when `save` is true. With `keep` the buyer was told that the subscription that is bought
  /// renews: the method is kept for that, and for nothing else.
  case offered(String, fields: [String: String] = [:], save: Bool, keep: Bool = false)
  /// A saved method, by its id. With `keep` the subscription that is bought renews with it.
  case saved(String, keep: Bool = false)

  /// What the provider's own fields of the page have sent.
  var fields: [String: String] {
    switch self {
    case .offered(_, let fields, _, _): fields
    case .saved: [:]
    }
  }

  /// A Boolean value that indicates whether the page stated the renewal.
  var statesRenewal: Bool {
    switch self {
    case .offered(_, _, _, let keep), .saved(_, let keep): keep
    }
  }
}

/// What became of a try to pay. The page shows it; the app asks the store itself.
public enum PaymentOutcome: Sendable, Hashable {
  /// The money is there, or the account owns it already and nothing was charged.
  case paid
  /// Refused; another method may be tried.
  case declined
  /// The provider rejects the charge with every method.
  case unchargeable
  /// A second step is needed: show it, then call `confirmSecondStep`.
  case secondStep
  /// The provider needs time.
  case pending
  /// The price is another one now; nothing was charged. Show it and ask again.
  case priceChanged(Money)
  /// The account's region is another one now; the order was given up, nothing was charged.
  case storefrontChanged
  /// The order is not open any more; nothing was charged.
  case closed
  /// The saved method is not this account's any more; nothing was charged.
  case unknownMethod
}
