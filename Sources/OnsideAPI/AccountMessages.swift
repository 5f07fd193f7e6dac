public import Foundation
public import OnsideCommerce

/// The answer of ``Route/account``.
public struct AccountMessage: Hashable, Sendable, Codable {
  /// The pseudonym of the account in the app, as in its signed documents.
  public var subject: String
  /// The account's region.
  public var country: CountryCode

  /// Makes an answer.
  public init(subject: String, country: CountryCode) {
    self.subject = subject
    self.country = country
  }
}

/// The answer of ``Route/token``: RFC 6749 section 5.1, with the account beside it.
public struct TokenMessage: Hashable, Sendable, Codable {
  /// The access token; opaque to the app.
  public var accessToken: String
  /// Always `Bearer`.
  public var tokenType: String
  /// Seconds until the access token expires.
  public var expiresIn: Int
  /// The refresh token, which replaces the one sent.
  public var refreshToken: String
  /// The id of the account that is signed in, for apps that do not know ``subject``. A session of before stores sent
  /// subjects keeps the id that all apps share; in every other session it is made of ``subject``.
  public var accountID: AccountID
  /// The pseudonym in the app of the account that is signed in, as in its signed documents; nil from an older store.
  public var subject: String?
  /// The account's region.
  public var country: CountryCode

  enum CodingKeys: String, CodingKey {
    case country, subject
    case accessToken = "access_token"
    case tokenType = "token_type"
    case expiresIn = "expires_in"
    case refreshToken = "refresh_token"
    case accountID = "account_id"
  }

  /// Makes an answer.
  public init(
    accessToken: String, expiresIn: Int, refreshToken: String, accountID: AccountID, subject: String? = nil,
    country: CountryCode
  ) {
    self.accessToken = accessToken
    self.tokenType = "Bearer"
    self.expiresIn = expiresIn
    self.refreshToken = refreshToken
    self.accountID = accountID
    self.subject = subject
    self.country = country
  }
}

/// An error of the OAuth endpoints: RFC 6749 section 5.2. They do not answer with ``ProblemDetails``, because every
/// OAuth client understands this form.
public struct TokenErrorMessage: Hashable, Sendable, Codable {
  /// The code, for example `invalid_grant`.
  public var error: String
  /// What was expected and what to do.
  public var errorDescription: String?

  enum CodingKeys: String, CodingKey {
    case error
    case errorDescription = "error_description"
  }

  /// Makes an error answer.
  public init(error: String, errorDescription: String? = nil) {
    self.error = error
    self.errorDescription = errorDescription
  }
}

/// The answer of ``Route/sync``.
public struct SyncMessage: Hashable, Sendable, Codable {
  /// Where to go on; opaque.
  public var cursor: String
  /// The account's region now.
  public var country: CountryCode
  /// The orders that changed since the cursor given, as they are now. When it starts over: what is paid and not
  /// finished, what is being paid, what is owned and what was taken back.
  public var orders: [OrderMessage]
  /// Whether it does not go on from a cursor: there was none, or it is from before the store was restored.
  public var startsOver: Bool
  /// The orders that were not understood. Not on the wire.
  public var unread: [UnreadItem] = []

  enum CodingKeys: String, CodingKey {
    case cursor, country, orders
    case startsOver = "starts_over"
  }

  /// Makes an answer.
  public init(cursor: String, country: CountryCode, orders: [OrderMessage], startsOver: Bool = false) {
    self.cursor = cursor
    self.country = country
    self.orders = orders
    self.startsOver = startsOver
  }
}

extension SyncMessage {
  /// Reads an answer, order by order; one of an older store does not say whether it starts over.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: CodingKeys.self)
    let orders = try container.decode(LenientList<OrderMessage>.self, forKey: .orders)
    self.init(
      cursor: try container.decode(String.self, forKey: .cursor),
      country: try container.decode(CountryCode.self, forKey: .country), orders: orders.items,
      startsOver: try container.decodeIfPresent(Bool.self, forKey: .startsOver) ?? false)
    unread = orders.unread
  }
}

/// The answer of ``Route/restorable``.
public struct RestorableMessage: Hashable, Sendable, Codable {
  /// Owned non-consumables and active subscriptions, the newest order of each.
  public var orders: [OrderMessage]
  /// The orders that were not understood. Not on the wire.
  public var unread: [UnreadItem] = []

  enum CodingKeys: String, CodingKey { case orders }

  /// Makes an answer.
  public init(orders: [OrderMessage]) { self.orders = orders }
}

extension RestorableMessage {
  /// Reads an answer, order by order.
  public init(from decoder: any Decoder) throws {
    let orders = try decoder.container(keyedBy: CodingKeys.self)
      .decode(LenientList<OrderMessage>.self, forKey: .orders)
    self.init(orders: orders.items)
    unread = orders.unread
  }
}

/// The body of ``Route/subscriptionsSession`` and ``Route/redemptionSession``. It is optional: a request without a body
/// has no token.
public struct HostedPageRequest: Hashable, Sendable, Codable {
  /// The app's own name for its user, which purchases on the page carry; at most 512 bytes of UTF-8.
  public var appAccountToken: String?

  enum CodingKeys: String, CodingKey { case appAccountToken = "app_account_token" }

  /// Makes a request.
  public init(appAccountToken: String? = nil) { self.appAccountToken = appAccountToken }
}

/// The answer of ``Route/paymentMethodsSession``, ``Route/subscriptionsSession``, ``Route/redemptionSession`` and
/// ``Route/orderRefundPage``.
public struct HostedPageMessage: Hashable, Sendable, Codable {
  /// The page to show; it works for a short time and for this account only.
  public var url: URL

  /// Makes an answer.
  public init(url: URL) { self.url = url }
}
