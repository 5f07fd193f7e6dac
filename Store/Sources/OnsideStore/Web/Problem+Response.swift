import Foundation
import HTTPTypes
public import Hummingbird
import NIOCore
import NIOHTTP1
import OnsideAPI
import OnsideCommerce
import OnsideVault

extension Problem: HTTPResponseError {
  /// The answer, `application/problem+json`.
  public func response(from request: Request, context: some RequestContext) -> Response {
    let (headers, body) = encoded()
    return Response(status: status, headers: headers, body: .init(byteBuffer: body))
  }
}

extension Problem {
  /// What the caller is told about an error. Anything unexpected becomes `internal_error`, without a word of its own.
  public init(describing error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let refusal as VaultRefusal: self.init(refusal)
    case StorageError.full:
      self.init(.serviceUnavailable, .storageFull, "Nothing was changed. Try again later.", retryAfter: 30)
    case StorageError.unavailable:
      self.init(
        .serviceUnavailable, .storageUnavailable, "Try again later, with the same idempotency key.", retryAfter: 30)
    case StorageError.busy, StorageError.closed:
      self.init(.serviceUnavailable, .overloaded, "Nothing was changed. Try again.", retryAfter: 1)
    case is NIOTooManyBytesError:
      self.init(.contentTooLarge, .bodyTooLarge)
    case is HTTPParserError, is ChannelError, is IOError:
      self = .invalidRequest("The connection ended before the request did.")
    case let error as HTTPError:
      self.init(status: error.status)
    default:
      self = .internalError
    }
  }

  private init(status: HTTPResponse.Status) {
    switch status {
    case .contentTooLarge: self.init(status, .bodyTooLarge)
    case .notFound: self = .notFound
    case .methodNotAllowed: self.init(status, .methodNotAllowed)
    case .unsupportedMediaType: self.init(status, .unsupportedMediaType)
    case .unauthorized: self = .notAuthenticated
    case .badRequest, .unprocessableContent: self.init(.badRequest, .invalidRequest)
    default: self = .internalError
    }
  }

  /// The answer's headers and body.
  func encoded() -> (headers: HTTPFields, body: ByteBuffer) {
    let details = ProblemDetails(
      type: "/problems/\(code.rawValue)", title: title, status: status.code, detail: detail, code: code,
      country: country?.alpha2, vault: vault, serverTime: serverTime)
    // A struct of texts and a number always encodes.
    let body = (try? WireCoding.encoder().encode(details)) ?? Data()
    var headers: HTTPFields = [.contentType: "application/problem+json", .cacheControl: "no-store"]
    if let retryAfter { headers[.retryAfter] = String(retryAfter) }
    if status == .unauthorized { headers[.wwwAuthenticate] = "Bearer" }
    return (headers, ByteBuffer(bytes: body))
  }

  /// The summary that every problem of this code shares.
  private var title: String { Self.titles[code] ?? status.reasonPhrase }

  private static let titles: [ProblemCode: String] = [
    .invalidRequest: "The request could not be understood",
    .notAuthenticated: "The access token is missing, malformed or expired",
    .invalidSignature: "The signature does not match the body",
    .forbidden: "Not allowed",
    .appNotRegistered: "No app is registered under this identifier",
    .notFound: "There is no such thing",
    .methodNotAllowed: "The path exists, but not with this method",
    .requestInProgress: "Another request with the same idempotency key is under way",
    .storefrontChanged: "The account's region is another one",
    .subscriptionActive: "The account has another plan of this subscription group",
    .orderNotFinal: "The order is not paid",
    .idempotencyKeyMissing: "Idempotency-Key must be a UUID",
    .bodyTooLarge: "The body is larger than this route takes",
    .unsupportedMediaType: "The body is not of a media type that this route takes",
    .idempotencyKeyReused: "The idempotency key was used for another request",
    .invalidProductIdentifier: "Not a product identifier",
    .productNotAvailable: "The product is not sold in this region",
    .appAccountTokenTooLong: "app_account_token is longer than 512 bytes",
    .rateLimited: "Too many requests",
    .internalError: "The store made a mistake",
    .overloaded: "The store is busy",
    .storageFull: "The store has no room left",
    .storageUnavailable: "The store cannot reach its data",
    .timedOut: "The request took too long",
    .vaultClock: "The clocks are too far apart",
    .vaultReplayed: "The request came before",
    .vaultWait: "Too many wrong PINs",
    .vaultDestroyed: "The key is deleted",
    .vaultReplaced: "The PIN was changed",
    .vaultNotCurrent: "The enrolment is in another state",
    .vaultTagMismatch: "The unlock tag is another one",
    .vaultElementInvalid: "Not an element of ristretto255",
  ]
}
