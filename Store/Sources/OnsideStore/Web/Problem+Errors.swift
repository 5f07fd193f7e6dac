import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
import OnsideAPI
import OnsideCommerce
import StoreBase

extension Problem {
  /// What the caller is told about an error. Anything unexpected becomes `internal_error`, without a word of its own.
  public init(describing error: any Error) {
    switch error {
    case let problem as Problem: self = problem
    case let error as OrderError:
      self.init(error.code, detail: error.detail, country: error.country)
      retryAfter = error.retryAfter
    case let error as PaymentError: self.init(error.code, detail: error.detail)
    case let error as VaultError: self.init(error)
    case StorageError.full:
      self.init(
        .serviceUnavailable, code: .storageFull, detail: "Nothing was changed. Try again later.", retryAfter: 30)
    case StorageError.unavailable, StorageError.guardFile, StorageError.unreachable, StorageError.outcomeUnknown:
      self.init(
        .serviceUnavailable, code: .storageUnavailable, detail: "Try again later, with the same idempotency key.",
        retryAfter: 30)
    case StorageError.busy, StorageError.closed:
      self.init(.serviceUnavailable, code: .overloaded, detail: "Nothing was changed. Try again.", retryAfter: 1)
    case StorageError.invalidValue:
      self = .invalidRequest("A value cannot be kept: expected every text without U+0000.")
    case is NIOTooManyBytesError:
      self.init(.contentTooLarge, code: .bodyTooLarge)
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
    case .contentTooLarge: self.init(status, code: .bodyTooLarge)
    case .notFound: self = .notFound
    case .methodNotAllowed: self.init(status, code: .methodNotAllowed)
    case .unsupportedMediaType: self.init(status, code: .unsupportedMediaType)
    case .unauthorized: self = .notAuthenticated
    case .badRequest, .unprocessableContent: self.init(.badRequest, code: .invalidRequest)
    default: self = .internalError
    }
  }

  /// A refusal with the status that its code has.
  private init(_ code: ProblemCode, detail: String?, country: CountryCode? = nil) {
    let status = ProblemExplanation.byCode[code].map { HTTPResponse.Status(code: $0.status) }
    self.init(status ?? .internalServerError, code: code, detail: detail, country: country)
  }

  private init(_ error: VaultError) {
    self.init(error.code, detail: error.detail)
    vault = error.enrolment
    serverTime = error.serverTime?.millisecondsSince1970
    if error.code == .vaultWait { retryAfter = error.enrolment?.retryAfter }
  }
}
