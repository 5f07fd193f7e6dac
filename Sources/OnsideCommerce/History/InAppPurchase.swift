public import Foundation

/// One transaction as a signed history tells it: the payload that merchants verify.
public struct InAppPurchase: Sendable, Hashable {
  /// What the app attached to the payment, byte for byte.
  public var appAccountToken: String?
  /// The app that sold it.
  public var bundleID: String
  /// Whether real money was paid; nil in what stores signed before they said it. A merchant gives goods for
  /// ``PurchaseEnvironment/production`` alone.
  public var environment: PurchaseEnvironment?
  /// When the subscription period ends; nil for everything else.
  public var expiresAt: Date?
  /// When the store read its books for this.
  public var fetchedAt: Date
  /// The offer whose price was paid; nil for a regular price. On the wire `offer_id` and `offer_kind`, which are
  /// missing then.
  public var offer: PurchaseOffer?
  /// The transaction.
  public var orderID: UUID
  /// The first transaction of the chain that this one renews or restores; its own identifier otherwise.
  public var originalOrderID: UUID
  /// When the chain began.
  public var originalPurchaseDate: Date
  /// When this purchase or renewal was paid.
  public var purchaseDate: Date
  /// What was paid. On the wire two fields: `price` in the currency's smallest unit, and `currency`.
  public var price: Money
  /// The product.
  public var productID: String
  /// The product's second name, where the merchant gave one.
  public var productSlug: String?
  /// What buying the product means.
  public var productType: ProductKind
  /// How many were bought, at least 1.
  public var quantity: Int
  /// The revoked transaction that a ``TransactionReason/grant`` replaces; nil for every other transaction. On the wire
  /// `reinstates`, which is missing then.
  public var reinstates: UUID?
  /// When it was taken back, and why; nil while it stands.
  public var revocation: Revocation?
  /// A pseudonym of the account that bought it, in this app: the ``EntitlementList/subject`` of the account's lists.
  /// Nil in documents of stores from before histories had it.
  public var subject: String?
  /// The subscription group; nil for everything else.
  public var subscriptionID: String?
  /// The tax that the price includes, in its currency; nil where the store booked none. On the wire `tax_amount`, which
  /// is missing then.
  public var tax: Money?
  /// Why the transaction exists.
  public var transactionReason: TransactionReason
  /// The region of the buyer's account.
  public var userCountry: CountryCode

  /// A transaction with everything that a history tells of it.
  public init(
    orderID: UUID, originalOrderID: UUID? = nil, bundleID: String, productID: String, productSlug: String? = nil,
    productType: ProductKind, quantity: Int = 1, price: Money, userCountry: CountryCode, purchaseDate: Date,
    originalPurchaseDate: Date? = nil, expiresAt: Date? = nil, subscriptionID: String? = nil,
    transactionReason: TransactionReason = .purchase, revocation: Revocation? = nil, appAccountToken: String? = nil,
    environment: PurchaseEnvironment? = nil, subject: String? = nil, fetchedAt: Date
  ) {
    self.orderID = orderID
    self.originalOrderID = originalOrderID ?? orderID
    self.bundleID = bundleID
    self.productID = productID
    self.productSlug = productSlug
    self.productType = productType
    self.quantity = quantity
    self.price = price
    self.userCountry = userCountry
    self.purchaseDate = purchaseDate
    self.originalPurchaseDate = originalPurchaseDate ?? purchaseDate
    self.expiresAt = expiresAt
    self.subscriptionID = subscriptionID
    self.transactionReason = transactionReason
    self.revocation = revocation
    self.appAccountToken = appAccountToken
    self.environment = environment
    self.subject = subject
    self.fetchedAt = fetchedAt
  }
}
