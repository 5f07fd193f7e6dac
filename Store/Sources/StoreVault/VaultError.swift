import Foundation
import OnsideAPI
import OnsideVault
import StoreBase
import StoreWeb

/// Why the vault does not do what it was asked for, with what the caller may know. Callers over HTTP get the problem of
/// ``code``.
struct VaultError: Error, Sendable {
  /// The code on the wire.
  let code: ProblemCode
  /// What was expected, what came and what to do.
  let detail: String?
  /// How the enrolment stands.
  var enrolment: VaultMessage?
  /// The time by which the device signs a new request.
  var serverTime: Date?

  private init(code: ProblemCode, detail: String? = nil) {
    self.code = code
    self.detail = detail
  }

  /// A refusal by the vault's rules.
  init(_ refusal: VaultRefusal, enrolment: VaultMessage? = nil, serverTime: Date? = nil) {
    code = refusal.code
    detail = refusal.description
    self.enrolment = enrolment
    self.serverTime = serverTime
  }

  /// The wallet wants several vaults.
  static let severalVaults = VaultError(
    code: .invalidRequest,
    detail: "servers and threshold: expected 1; several vaults are not known to this version.")

  /// The store's own fault.
  static let internalError = VaultError(code: .internalError)
}

extension VaultError: ProblemConvertible {
  /// The answer with the error's code and detail, the state of the enrolment and the store's time.
  var problem: Problem {
    var problem = Problem(code, detail: detail)
    problem.vault = enrolment
    problem.serverTime = serverTime?.millisecondsSince1970
    if code == .vaultWait { problem.retryAfter = enrolment?.retryAfter }
    return problem
  }
}

extension VaultError: LoggedDetails {
  var loggedDetails: String { code.rawValue }
}
