public import Foundation
public import OnsideCommerce

/// Money that the store pays an app: its balance in one currency.
public struct Payout: Sendable, Hashable {
  /// Where a payout is on its way.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// Taken from the app's balance, not yet sent.
    case made
    /// The bank was told.
    case sent
    /// The money has left the bank account.
    case settled
    /// It did not reach the app, or the bank has returned it: the app's balance has it again.
    case failed
  }

  /// Its id, a UUID in lower case.
  public let id: String
  /// The app.
  public let app: String
  /// How much.
  public let amount: Money
  /// Where it is on its way.
  public let state: State
  /// When it was made.
  public let madeAt: Date
  /// When it was marked as sent.
  public let sentAt: Date?
  /// When it was marked as settled.
  public let settledAt: Date?
  /// What the bank calls it.
  public let reference: String?
}

/// Why a payout is not changed.
public enum PayoutError: Error, Sendable, Equatable, CustomStringConvertible {
  /// There is no payout of this id.
  case unknown(String)
  /// It was not sent yet.
  case notSent(String)
  /// It was sent with another reference.
  case sentAlready(String, reference: String?)
  /// It has failed; another payout pays the balance.
  case failed(String)

  /// What was expected and what came.
  public var description: String {
    switch self {
    case .unknown(let id): "expected the id of a payout, got \"\(id)\"; `onside payout list` shows them"
    case .notSent(let id): "expected a payout that was sent, but \(id) was not"
    case .sentAlready(let id, let reference):
      "\(id) was sent already, with the reference \"\(reference ?? "")\""
    case .failed(let id): "expected a payout that is under way, but \(id) has failed; make another one"
    }
  }
}
