import Foundation

/// How a pre-flight ended.
enum QueueCallResult: Hashable, Sendable {
  /// A restore will run.
  case accepted
  /// A payment is on disk, as this transaction.
  case added(UUID)
  case loginDiscarded
  case rejectedAfterLogin
  /// The payment cannot be taken as it is.
  case refused(OnsidePaymentError)
  /// The disk did not take it.
  case notStored
  /// The disk did not take it, and why.
  case storageFailed(OnsideFailure)
  /// The login met something else than the user's decision.
  case loginFailed(OnsideFailure)

  init(_ failure: LoginFailure) {
    switch failure {
    case .loginDiscarded: self = .loginDiscarded
    case .failed(let reason): self = .loginFailed(reason)
    }
  }

  /// The published answer, which knows two reasons only.
  var published: Result<Void, OnsidePaymentQueueAddProductError> {
    switch self {
    case .accepted, .added: .success(())
    case .loginDiscarded, .loginFailed: .failure(.loginDiscarded)
    case .rejectedAfterLogin, .refused, .notStored, .storageFailed: .failure(.rejectedAfterLogin)
    }
  }

  /// The reason as the waiting forms throw it; nil when the call was accepted.
  var error: (any Error)? {
    switch self {
    case .accepted, .added: nil
    case .loginDiscarded: OnsidePaymentQueueAddProductError.loginDiscarded
    case .rejectedAfterLogin: OnsidePaymentQueueAddProductError.rejectedAfterLogin
    case .refused(let error): error
    case .notStored: OnsideFailure.storageUnavailable
    case .storageFailed(let failure), .loginFailed(let failure): failure
    }
  }
}
