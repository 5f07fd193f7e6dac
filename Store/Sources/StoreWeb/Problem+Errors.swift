import HTTPTypes
import Hummingbird
import NIOCore
import NIOHTTP1
package import OnsideAPI
package import OnsideCommerce
import StoreBase

/// An error with an HTTP answer.
package protocol ProblemConvertible: Error {
  /// The answer to the request that failed.
  var problem: Problem { get }
}

extension Problem: ProblemConvertible {
  /// The problem itself.
  package var problem: Problem { self }
}

extension Problem {
  /// The answer to a request that failed with an error: `internal_error` without a detail for an unexpected error.
  public init(describing error: any Error) {
    switch error {
    case let error as any ProblemConvertible: self = error.problem
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

  /// A refusal with the status of its code.
  package init(_ code: ProblemCode, detail: String?, country: CountryCode? = nil) {
    let status = ProblemExplanation.byCode[code].map { HTTPResponse.Status(code: $0.status) }
    self.init(status ?? .internalServerError, code: code, detail: detail, country: country)
  }
}
