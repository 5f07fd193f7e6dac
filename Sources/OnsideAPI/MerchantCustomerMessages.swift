import Foundation
public import OnsideCommerce

/// An entitlement of a customer, for merchants' servers: the entitlement of the signed list, with its state.
public struct MerchantEntitlementMessage: Hashable, Sendable {
  /// The entitlement.
  public var entitlement: Entitlement
  /// A Boolean value that indicates whether the entitlement was active at the time of the event or answer.
  public var isActive: Bool

  /// Makes a message.
  public init(_ entitlement: Entitlement, isActive: Bool) {
    self.entitlement = entitlement
    self.isActive = isActive
  }
}

extension MerchantEntitlementMessage: Codable {
  private enum CodingKeys: String, CodingKey {
    case isActive = "is_active"
  }

  /// Reads the fields of the entitlement, and `is_active`.
  public init(from decoder: any Decoder) throws {
    let fields = try decoder.container(keyedBy: CodingKeys.self)
    self.init(try Entitlement(from: decoder), isActive: try fields.decode(Bool.self, forKey: .isActive))
  }

  /// Writes the fields of the entitlement that have a value, and `is_active`.
  public func encode(to encoder: any Encoder) throws {
    try entitlement.encode(to: encoder)
    var fields = encoder.container(keyedBy: CodingKeys.self)
    try fields.encode(isActive, forKey: .isActive)
  }
}

/// A customer in its events: the whole state.
public struct MerchantCustomerState: Hashable, Sendable, Codable {
  /// The pseudonym of the account in the app.
  public var subject: String
  /// Each lasting product and the last period of each subscription, the oldest purchase first.
  public var entitlements: [MerchantEntitlementMessage]
  /// The subscriptions, one for each group in which the customer ever subscribed.
  public var subscriptions: [PayloadValue]

  /// Makes a state.
  public init(
    subject: String, entitlements: [MerchantEntitlementMessage], subscriptions: [PayloadValue]
  ) {
    self.subject = subject
    self.entitlements = entitlements
    self.subscriptions = subscriptions
  }
}

/// The answer of ``Route/merchantCustomer``.
public struct MerchantCustomerMessage: Hashable, Sendable, Codable {
  /// The pseudonym of the account in the app.
  public var subject: String
  /// The app's token of the newest purchase that has one.
  public var appAccountToken: String?
  /// Each lasting product and the last period of each subscription, the oldest purchase first.
  public var entitlements: [MerchantEntitlementMessage]
  /// The subscriptions, one for each group in which the customer ever subscribed.
  public var subscriptions: [PayloadValue]
  /// The newest 20 paid orders, the newest first.
  public var orders: [PayloadValue]
  /// The sequence of the customer's newest event; 0 before the first one.
  public var sequence: Int64
  /// The signed list of the entitlements, a compact JWS as of ``Route/entitlements``.
  public var signed: String

  enum CodingKeys: String, CodingKey {
    case subject, entitlements, subscriptions, orders, sequence, signed
    case appAccountToken = "app_account_token"
  }

  /// Makes an answer.
  public init(
    subject: String, appAccountToken: String? = nil, entitlements: [MerchantEntitlementMessage],
    subscriptions: [PayloadValue], orders: [PayloadValue], sequence: Int64, signed: String
  ) {
    self.subject = subject
    self.appAccountToken = appAccountToken
    self.entitlements = entitlements
    self.subscriptions = subscriptions
    self.orders = orders
    self.sequence = sequence
    self.signed = signed
  }
}

/// The answer of ``Route/merchantCustomers``.
public struct MerchantCustomersMessage: Hashable, Sendable, Codable {
  /// The customers with a purchase that has the token, 20 at most.
  public var customers: [MerchantCustomerMessage]

  /// Makes an answer.
  public init(customers: [MerchantCustomerMessage]) { self.customers = customers }
}
