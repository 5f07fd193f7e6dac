import Foundation
import OnsideCommerce

/// What a verifier is made for, and requires of every document.
struct Expectations: Sendable {
  let bundleID: String
  let environment: PurchaseEnvironment

  /// Refuses what belongs to another app or environment.
  func check(bundleID: String, environment: PurchaseEnvironment?) throws(VerificationError) {
    guard bundleID == self.bundleID else {
      throw VerificationError(
        .wrongApp, "Expected the app \(self.bundleID.quoted), got \(bundleID.quoted). The document is of another app.")
    }
    guard environment == self.environment else {
      let got = environment.map(\.rawValue.quoted) ?? "none"
      throw VerificationError(
        .wrongEnvironment, "Expected the environment \(self.environment.rawValue.quoted), got \(got).")
    }
  }

  /// Refuses a history with a purchase of another app or environment, and one that was read too long ago.
  func check(_ history: TransactionHistory, maximumAge: TimeInterval?, now: Date) throws(VerificationError) {
    for purchase in history.transactions {
      try check(bundleID: purchase.bundleID, environment: purchase.environment)
      guard let maximumAge else { continue }
      let age = now.timeIntervalSince(purchase.fetchedAt)
      guard age <= maximumAge else {
        throw .expired("a history of the last \(maximumAge) seconds, got one from \(purchase.fetchedAt)")
      }
    }
  }

  /// Refuses a list of another app, environment or account, and one that is not valid any more or was made too long
  /// ago.
  func check(
    _ list: EntitlementList, subject: String?, maximumAge: TimeInterval?, now: Date
  ) throws(VerificationError) {
    try check(bundleID: list.bundleID, environment: list.environment)
    guard subject == nil || subject == list.subject else {
      throw VerificationError(.wrongAccount, "Expected a list of the given subject, got that of another account.")
    }
    guard now < list.validUntil else { throw .expired("a list that is valid, got one until \(list.validUntil)") }
    guard maximumAge.map({ now.timeIntervalSince(list.issuedAt) <= $0 }) ?? true else {
      throw .expired("a list of the last \(maximumAge ?? 0) seconds, got one from \(list.issuedAt)")
    }
  }
}

extension VerificationError {
  fileprivate static func expired(_ expected: String) -> VerificationError {
    VerificationError(.expired, "Expected \(expected). Ask the app for a newer one.")
  }
}
