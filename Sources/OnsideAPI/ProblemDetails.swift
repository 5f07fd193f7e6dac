/// The store's stable error codes, the `code` of a ``ProblemDetails``. A struct, so that a new code breaks no client.
public struct ProblemCode: RawRepresentable, Hashable, Sendable, Codable, CustomStringConvertible {
  /// The code on the wire.
  public let rawValue: String

  /// Makes a code from its text on the wire; unknown texts are kept.
  public init(rawValue: String) { self.rawValue = rawValue }

  /// The code on the wire.
  public var description: String { rawValue }

  /// 400: the request could not be understood; `detail` names the field.
  public static let invalidRequest = ProblemCode(rawValue: "invalid_request")
  /// 401: the access token is missing, malformed or expired.
  public static let notAuthenticated = ProblemCode(rawValue: "not_authenticated")
  /// 401: a provider's signature does not match.
  public static let invalidSignature = ProblemCode(rawValue: "invalid_signature")
  /// 401: the API key is missing, malformed, unknown or replaced; `detail` says which.
  public static let invalidAPIKey = ProblemCode(rawValue: "invalid_api_key")
  /// 401: the JWT of a merchant's server is missing or not valid; `detail` says what was expected.
  public static let invalidMerchantToken = ProblemCode(rawValue: "invalid_merchant_token")
  /// 403: authenticated, but not for this.
  public static let forbidden = ProblemCode(rawValue: "forbidden")
  /// 404: no app is registered under this identifier.
  public static let appNotRegistered = ProblemCode(rawValue: "app_not_registered")
  /// 404: there is no such thing, or it is not the caller's.
  public static let notFound = ProblemCode(rawValue: "not_found")
  /// 405: the path exists, but not with this method.
  public static let methodNotAllowed = ProblemCode(rawValue: "method_not_allowed")
  /// 409: another request with the same idempotency key is under way.
  public static let requestInProgress = ProblemCode(rawValue: "request_in_progress")
  /// 409: the order names a country that is not the account's; `country` says which is.
  public static let storefrontChanged = ProblemCode(rawValue: "storefront_changed")
  /// 409: the account has another plan of the product's subscription group.
  public static let subscriptionActive = ProblemCode(rawValue: "subscription_active")
  /// 409: the order is not paid, so it cannot be finished.
  public static let orderNotFinal = ProblemCode(rawValue: "order_not_final")
  /// 409: an act of a merchant's server is not possible now; the detail says why.
  public static let actRejected = ProblemCode(rawValue: "act_rejected")
  /// 400: `Idempotency-Key` is missing or malformed.
  public static let idempotencyKeyMissing = ProblemCode(rawValue: "idempotency_key_missing")
  /// 413: the body is larger than the route's limit.
  public static let bodyTooLarge = ProblemCode(rawValue: "body_too_large")
  /// 415: the body is not of the media type that the route takes.
  public static let unsupportedMediaType = ProblemCode(rawValue: "unsupported_media_type")
  /// 422: the same idempotency key came with another body.
  public static let idempotencyKeyReused = ProblemCode(rawValue: "idempotency_key_reused")
  /// 422: a product identifier that can never exist.
  public static let invalidProductIdentifier = ProblemCode(rawValue: "invalid_product_identifier")
  /// 422: the product does not exist or is not sold in this region.
  public static let productNotAvailable = ProblemCode(rawValue: "product_not_available")
  /// 422: the product is not sold in this quantity; `detail` says why.
  public static let quantityNotAvailable = ProblemCode(rawValue: "quantity_not_available")
  /// 422: `app_account_token` is longer than 512 bytes.
  public static let appAccountTokenTooLong = ProblemCode(rawValue: "app_account_token_too_long")
  /// 422: the product has no such offer, or this account may not have it now; `detail` says why.
  public static let offerNotEligible = ProblemCode(rawValue: "offer_not_eligible")
  /// 422: the signature of a promotional offer is missing, or is not one for this purchase; `detail` says why.
  public static let offerSignatureInvalid = ProblemCode(rawValue: "offer_signature_invalid")
  /// 429: too many requests; `Retry-After` says when to come back.
  public static let rateLimited = ProblemCode(rawValue: "rate_limited")
  /// 500: an internal error of the store; the answer gives no details.
  public static let internalError = ProblemCode(rawValue: "internal_error")
  /// 503: more work than this process takes on; `Retry-After` says when to come back.
  public static let overloaded = ProblemCode(rawValue: "overloaded")
  /// 503: the store has no room left on its disk; nothing was changed.
  public static let storageFull = ProblemCode(rawValue: "storage_full")
  /// 503: the store cannot read or write its data at the moment; the same key tells what was done.
  public static let storageUnavailable = ProblemCode(rawValue: "storage_unavailable")
  /// 503: the request took longer than the route allows; nothing was changed, or the same key tells what was.
  public static let timedOut = ProblemCode(rawValue: "timed_out")
  /// 409: the device's clock and the vault's are further apart than five minutes; `server_time` says what it is there.
  public static let vaultClock = ProblemCode(rawValue: "vault_clock")
  /// 409: this request came before; sign a new one.
  public static let vaultReplayed = ProblemCode(rawValue: "vault_replayed")
  /// 429: too many wrong PINs; `Retry-After` says when the next try is allowed.
  public static let vaultWait = ProblemCode(rawValue: "vault_wait")
  /// 410: the key of this enrolment is deleted; the words bring the wallet back.
  public static let vaultDestroyed = ProblemCode(rawValue: "vault_destroyed")
  /// 410: another PIN took the place of this one.
  public static let vaultReplaced = ProblemCode(rawValue: "vault_replaced")
  /// 409: the enrolment is not in the state that this asks for; `vault` says where it stands.
  public static let vaultNotCurrent = ProblemCode(rawValue: "vault_not_current")
  /// 403: the unlock tag is another one.
  public static let vaultTagMismatch = ProblemCode(rawValue: "vault_tag_mismatch")
  /// 422: the blinded element is no element of ristretto255, or the identity. It was not counted.
  public static let vaultElementInvalid = ProblemCode(rawValue: "vault_element_invalid")

  /// Every code of this version.
  public static let all: [ProblemCode] = [
    invalidRequest, notAuthenticated, invalidSignature, invalidAPIKey, invalidMerchantToken, forbidden,
    appNotRegistered,
    notFound, methodNotAllowed, requestInProgress, storefrontChanged, subscriptionActive, orderNotFinal,
    actRejected, idempotencyKeyMissing,
    bodyTooLarge,
    unsupportedMediaType,
    idempotencyKeyReused, invalidProductIdentifier, productNotAvailable, quantityNotAvailable,
    appAccountTokenTooLong,
    offerNotEligible, offerSignatureInvalid, rateLimited,
    internalError, overloaded, storageFull, storageUnavailable, timedOut, vaultClock, vaultReplayed, vaultWait,
    vaultDestroyed, vaultReplaced, vaultNotCurrent, vaultTagMismatch, vaultElementInvalid,
  ]
}

/// An error answer after RFC 9457, media type `application/problem+json`.
public struct ProblemDetails: Hashable, Sendable, Codable {
  /// A page that explains the problem: `/problems/` and the code.
  public var type: String
  /// The short human-readable summary that every problem of this code shares.
  public var title: String
  /// The HTTP status.
  public var status: Int
  /// What was expected, what came and what to do, where there is more to say than the title does.
  public var detail: String?
  /// The stable code to program against.
  public var code: ProblemCode
  /// With ``ProblemCode/storefrontChanged``: the account's country now, ISO 3166-1 alpha-2.
  public var country: String?
  /// With a refusal of the vault: how the enrolment stands, where the caller may know.
  public var vault: VaultMessage?
  /// With ``ProblemCode/vaultClock``: the vault's time, milliseconds since 1970.
  public var serverTime: Int64?

  enum CodingKeys: String, CodingKey {
    case type, title, status, detail, code, country, vault
    case serverTime = "server_time"
  }

  /// Makes a problem.
  public init(
    type: String, title: String, status: Int, detail: String? = nil, code: ProblemCode, country: String? = nil,
    vault: VaultMessage? = nil, serverTime: Int64? = nil
  ) {
    self.type = type
    self.title = title
    self.status = status
    self.detail = detail
    self.code = code
    self.country = country
    self.vault = vault
    self.serverTime = serverTime
  }
}
