public import Foundation
public import OnsideCommerce

/// The offer that an order is to be made with.
public struct OrderOffer: Hashable, Sendable, Codable {
  /// The offer's identifier within the product.
  public var id: String
  /// For a promotional offer: what the app's server has signed for this purchase, a compact JWS.
  public var signature: String?

  /// Names an offer.
  public init(id: String, signature: String? = nil) {
    self.id = id
    self.signature = signature
  }
}

/// The body of a request that creates an order. The `Idempotency-Key` header carries the order's id.
public struct OrderRequest: Hashable, Sendable, Codable {
  /// The product to buy.
  public var productID: String
  /// The country that the order is to run in; it must be the account's.
  public var country: CountryCode
  /// The number of units: one of ``quantities``; more than 1 of a consumable only, and without an offer.
  public var quantity: Int
  /// The app's own name for its user, at most 512 bytes of UTF-8, carried byte for byte.
  public var appAccountToken: String?
  /// The language of the payment page, BCP 47.
  public var language: String?
  /// The offer to buy it with; nil for the regular price, or the introductory one where the account may have it.
  public var offer: OrderOffer?

  enum CodingKeys: String, CodingKey {
    case country, quantity, language, offer
    case productID = "product_id"
    case appAccountToken = "app_account_token"
  }

  /// The most bytes of UTF-8 that ``appAccountToken`` may have.
  public static let appAccountTokenLimit = 512
  /// The quantities of a consumable that one order may have.
  public static let quantities = 1...1000

  /// Makes a request.
  public init(
    productID: String, country: CountryCode, quantity: Int = 1, appAccountToken: String? = nil,
    language: String? = nil, offer: OrderOffer? = nil
  ) {
    self.productID = productID
    self.country = country
    self.quantity = quantity
    self.appAccountToken = appAccountToken
    self.language = language
    self.offer = offer
  }
}

/// Why an order was cancelled. A struct, so that a new reason breaks no app.
public struct CancelReason: RawRepresentable, Hashable, Sendable, Codable {
  /// The reason on the wire.
  public let rawValue: String

  /// Makes a reason from its text on the wire; unknown texts are kept.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The user, or the app on the user's behalf, cancelled it.
  public static let user = CancelReason(rawValue: "user")
  /// The payment screen is closed, or the process that showed it has ended. The user has not cancelled, so the store
  /// keeps an order open whose payment page was opened.
  public static let screenClosed = CancelReason(rawValue: "screen_closed")
  /// The order was not paid in time.
  public static let expired = CancelReason(rawValue: "expired")
  /// The account's region changed while the order was open.
  public static let storefrontChanged = CancelReason(rawValue: "storefront_changed")
}

/// Where a consumable may be delivered, as the store tells it to one device. A struct, so that a new case breaks no
/// app.
public struct DeliveryHolder: RawRepresentable, Hashable, Sendable, Codable {
  /// The holder on the wire.
  public let rawValue: String

  /// Makes a holder from its text on the wire; unknown texts are kept.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// On the device that asks.
  public static let here = DeliveryHolder(rawValue: "here")
  /// On the first device that claims it.
  public static let free = DeliveryHolder(rawValue: "free")
  /// On another device, until that has been silent for long enough.
  public static let elsewhere = DeliveryHolder(rawValue: "elsewhere")
}

/// Where a consumable may be delivered.
public struct DeliveryMessage: Hashable, Sendable, Codable {
  /// Which device may deliver it.
  public var holder: DeliveryHolder
  /// With ``DeliveryHolder/elsewhere``: the seconds until it is free, if that device stays silent.
  public var seconds: Int?

  /// Makes a message.
  public init(_ holder: DeliveryHolder, seconds: Int? = nil) {
    self.holder = holder
    self.seconds = seconds
  }
}

/// An order as the store tells it. The SDK's transactions are made of these.
public struct OrderMessage: Hashable, Sendable, Codable {
  /// The order's id, which is the transaction's.
  public var id: OrderID
  /// The product ordered.
  public var product: ProductMessage
  /// The number of units: 1 to 1,000,000; 1 where a message has none.
  public var quantity: Int
  /// Where the order stands.
  public var state: OrderState.Stage
  /// Why it was given up, when it was.
  public var cancelReason: CancelReason?
  /// Bought by the user, renewed by the store, or granted by it.
  public var reason: TransactionReason
  /// The region that it runs in.
  public var country: CountryCode
  /// What is charged, or was, for all units.
  public var price: PriceMessage
  /// The app's own name for its user, byte for byte.
  public var appAccountToken: String?
  /// When it was made.
  public var createdAt: Date
  /// When it was paid.
  public var paidAt: Date?
  /// When the subscription period that it paid for ends.
  public var expiresAt: Date?
  /// Whether the app has finished it, on whichever device.
  public var finished: Bool
  /// Whether the calling device has finished it or a duplicate of it, so that the revocation is delivered there. The
  /// store fills it in for a revoked order; nil otherwise, and from stores of older versions.
  public var finishedHere: Bool?
  /// For a paid, unfinished consumable, and callers that name their device: where it may be delivered. Everything else
  /// is delivered on all devices.
  public var delivery: DeliveryMessage?
  /// When it was refunded or revoked.
  public var revokedAt: Date?
  /// Why it was refunded or revoked.
  public var revocationReason: RevocationReason?
  /// The first order of a renewal chain; its own id otherwise.
  public var originalOrderID: OrderID
  /// The order that already gives what this one asked for; nothing was charged.
  public var duplicateOf: OrderID?
  /// The revoked order that a ``TransactionReason/grant`` replaces; nil for every other order.
  public var reinstates: OrderID?
  /// The page to pay on, while the order is open.
  public var paymentURL: URL?
  /// Once paid: a compact JWS of a ``TransactionHistory`` with this one purchase.
  public var receipt: String?

  enum CodingKeys: String, CodingKey {
    case id, product, quantity, state, reason, country, price, finished, delivery, receipt, reinstates
    case cancelReason = "cancel_reason"
    case appAccountToken = "app_account_token"
    case createdAt = "created_at"
    case paidAt = "paid_at"
    case expiresAt = "expires_at"
    case revokedAt = "revoked_at"
    case revocationReason = "revocation_reason"
    case originalOrderID = "original_order_id"
    case duplicateOf = "duplicate_of"
    case paymentURL = "payment_url"
    case finishedHere = "finished_here"
  }

  /// Makes an order message.
  public init(
    id: OrderID, product: ProductMessage, quantity: Int = 1, state: OrderState.Stage,
    cancelReason: CancelReason? = nil, reason: TransactionReason = .purchase, country: CountryCode,
    price: PriceMessage, appAccountToken: String? = nil, createdAt: Date, paidAt: Date? = nil,
    expiresAt: Date? = nil, finished: Bool = false, finishedHere: Bool? = nil,
    delivery: DeliveryMessage? = nil, revokedAt: Date? = nil, revocationReason: RevocationReason? = nil,
    originalOrderID: OrderID? = nil, duplicateOf: OrderID? = nil, reinstates: OrderID? = nil, paymentURL: URL? = nil,
    receipt: String? = nil
  ) {
    self.id = id
    self.product = product
    self.quantity = quantity
    self.state = state
    self.cancelReason = cancelReason
    self.reason = reason
    self.country = country
    self.price = price
    self.appAccountToken = appAccountToken
    self.createdAt = createdAt
    self.paidAt = paidAt
    self.expiresAt = expiresAt
    self.finished = finished
    self.finishedHere = finishedHere
    self.delivery = delivery
    self.revokedAt = revokedAt
    self.revocationReason = revocationReason
    self.originalOrderID = originalOrderID ?? id
    self.duplicateOf = duplicateOf
    self.reinstates = reinstates
    self.paymentURL = paymentURL
    self.receipt = receipt
  }
}

extension OrderMessage {
  /// More than a store of a later version will sell in one order, and few enough for an app to calculate with.
  private static let readableQuantities = 1...1_000_000

  /// Reads an order. Stores and files of older versions have no `quantity`: it is 1 then.
  ///
  /// A new field has to be added here: the test of an order with every field fails for a missing one.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    id = try fields.decode(OrderID.self, forKey: .id)
    product = try fields.decode(ProductMessage.self, forKey: .product)
    quantity = try fields.decodeIfPresent(Int.self, forKey: .quantity) ?? 1
    state = try fields.decode(OrderState.Stage.self, forKey: .state)
    cancelReason = try fields.decodeIfPresent(CancelReason.self, forKey: .cancelReason)
    reason = try fields.decode(TransactionReason.self, forKey: .reason)
    country = try fields.decode(CountryCode.self, forKey: .country)
    price = try fields.decode(PriceMessage.self, forKey: .price)
    appAccountToken = try fields.decodeIfPresent(String.self, forKey: .appAccountToken)
    createdAt = try fields.decode(Date.self, forKey: .createdAt)
    paidAt = try fields.decodeIfPresent(Date.self, forKey: .paidAt)
    expiresAt = try fields.decodeIfPresent(Date.self, forKey: .expiresAt)
    finished = try fields.decode(Bool.self, forKey: .finished)
    finishedHere = try fields.decodeIfPresent(Bool.self, forKey: .finishedHere)
    delivery = try fields.decodeIfPresent(DeliveryMessage.self, forKey: .delivery)
    revokedAt = try fields.decodeIfPresent(Date.self, forKey: .revokedAt)
    revocationReason = try fields.decodeIfPresent(RevocationReason.self, forKey: .revocationReason)
    originalOrderID = try fields.decode(OrderID.self, forKey: .originalOrderID)
    duplicateOf = try fields.decodeIfPresent(OrderID.self, forKey: .duplicateOf)
    reinstates = try fields.decodeIfPresent(OrderID.self, forKey: .reinstates)
    paymentURL = try fields.decodeIfPresent(URL.self, forKey: .paymentURL)
    receipt = try fields.decodeIfPresent(String.self, forKey: .receipt)
    guard Self.readableQuantities.contains(quantity) else {
      throw DecodingError.dataCorruptedError(
        forKey: .quantity, in: fields, debugDescription: "expected a quantity of 1 to 1,000,000, got \(quantity)")
    }
  }
}
