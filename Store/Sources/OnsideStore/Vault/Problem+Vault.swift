import Hummingbird
import OnsideAPI
import OnsideVault

extension Problem {
  /// A refusal of the vault, with how the enrolment stands where the caller may know.
  init(_ refusal: VaultRefusal, _ message: VaultMessage? = nil) {
    self.init(Self.status(of: refusal), refusal.code, refusal.description)
    vault = message
    if refusal == .wait { retryAfter = message?.retryAfter }
  }

  private static func status(of refusal: VaultRefusal) -> HTTPResponse.Status {
    switch refusal {
    case .notFound: .notFound
    case .wait: .tooManyRequests
    case .destroyed, .replaced: .gone
    case .tagMismatch: .forbidden
    case .elementInvalid: .unprocessableContent
    default: .conflict
    }
  }
}
