import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import OnsideAPI
import OnsideCommerce

extension Problem {
  /// What the caller is told about an error. Anything unexpected becomes `internal_error`, without a word of its own.
  public init(describing error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let error as OrderError: self.init(error.code, error.detail, country: error.country)
    case let error as PaymentError: self.init(error.code, error.detail)
    case let error as VaultError: self.init(error)
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

  /// A refusal with the status that its code has.
  private init(_ code: ProblemCode, _ detail: String?, country: CountryCode? = nil) {
    let status = ProblemExplanation.byCode[code].map { HTTPResponse.Status(code: $0.status) }
    self.init(status ?? .internalServerError, code, detail, country: country)
  }

  private init(_ error: VaultError) {
    self.init(error.code, error.detail)
    vault = error.enrolment
    serverTime = error.serverTime?.millisecondsSince1970
    if error.code == .vaultWait { retryAfter = error.enrolment?.retryAfter }
  }
}
