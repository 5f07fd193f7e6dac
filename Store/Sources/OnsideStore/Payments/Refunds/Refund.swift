public import Foundation
public import OnsideCommerce
import StoreBase

/// Money of a payment that goes back to the buyer: a part or the whole of it.
public struct Refund: Sendable, Hashable, Identifiable {
  /// Where a refund stands.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// The provider is asked for it. It is booked.
    case asked
    /// The provider says that the money went back.
    case settled
    /// The provider says that the money did not go back, or came back. What was booked is booked back.
    case failed
  }

  /// Who wanted a refund.
  public struct Origin: RawRepresentable, Sendable, Hashable {
    /// The name in the database.
    public let rawValue: String

    /// An origin by its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The operator of the store, by command.
    public static let `operator` = Origin(rawValue: "operator")
    /// It was made at the provider, and the store has heard of it.
    public static let provider = Origin(rawValue: "provider")
    /// The buyer's bank, by a dispute.
    public static let bank = Origin(rawValue: "bank")
    /// The store: the money had come for nothing, or a bank has warned of fraud.
    public static let store = Origin(rawValue: "store")
    /// A change of plan: the part of a period's price that was not used. Also the price of the next period, paid
    /// already, when the running one is refunded. It takes nothing away from the buyer.
    public static let planChange = Origin(rawValue: "plan change")
    /// A subscription that the operator has stopped: the part of a period's price that was not used. It takes nothing
    /// else away from the buyer.
    public static let stop = Origin(rawValue: "stop command")

    /// A Boolean value that indicates whether the refund is of unused time alone, and revokes no purchase.
    var isOfUnusedTime: Bool { self == .planChange || self == .stop }
  }

  /// The failure of a refund that was not requested, because a bank held the money.
  static let heldByBank = "the payment is disputed"

  /// Made by the store; for a refund that was made at the provider, the provider's name and its id there; for what a
  /// bank took, the id of the ``Dispute``.
  public let id: String
  /// The order that was paid.
  public let orderID: UUID
  /// The payment; nil for an order that was paid without one.
  public let paymentID: String?
  /// How much goes back.
  public let amount: Money
  /// Whether it is of money that paid no order, because it came too late or once more.
  public let isSurplus: Bool
  /// Why.
  public let reason: RevocationReason
  /// Who wanted it.
  public let origin: Origin
  /// Where it stands.
  public internal(set) var state: State
  /// The provider's own id of it, once it has told.
  public internal(set) var reference: String?
  /// Why it failed, in the provider's word.
  public internal(set) var failure: String?
  /// When it was asked for.
  public let askedAt: Date
  /// When it went back or failed.
  public internal(set) var endedAt: Date?
  /// What replaces a refund that has failed: the id of another refund, or ``byOperator``. While it is nil, the store
  /// owes the buyer the money.
  public internal(set) var replacedBy: String?

  /// The operator has closed a failed refund without another one.
  static let byOperator = "operator"

  /// Whether it has failed and nothing replaces it. What a bank has returned to the store was never owed.
  var isUnreplaced: Bool { state == .failed && origin != .bank && replacedBy == nil }

  /// Whether the operator has closed a failed refund without another one.
  public var isClosed: Bool { replacedBy == Self.byOperator }

  /// Whether its amount is deducted from the payment: it is requested, settled or closed.
  var isDeducted: Bool { state != .failed || isClosed }
}

/// What takes a purchase away from its buyer: a rule of the app that sold it.
public enum RefundRule: String, Sendable, Hashable, CaseIterable {
  /// A refund of the whole price; parts leave the purchase with the buyer.
  case whole
  /// Every refund, also of a part.
  case any
}

/// An error of a rejected refund.
public enum RefundError: Error, Sendable, Hashable, CustomStringConvertible {
  /// It is more than what is left of the price, or nothing.
  case amount(asked: Money, left: Money)
  /// The amount is in another currency than the order's.
  case currency(asked: Currency, expected: Currency)
  /// The order is a grant, which costs nothing: the order that it replaces was paid.
  case grant(of: UUID)
  /// The provider moves multiples of a step only.
  case step(asked: Money, step: Money)
  /// The buyer's bank has taken the money for a dispute: a refund would pay twice.
  case disputed(String)
  /// A refund of the order's late money has failed, and is owed.
  case owed(String)
  /// The refund has not failed, has a replacement, is closed, or nothing is left of its payment.
  case notOwed(String)

  /// What was expected and what came.
  public var description: String {
    switch self {
    case .amount(let asked, let left):
      "expected an amount above nothing and up to \(left.amount) \(left.currency.code), which is left of the price; "
        + "got \(asked.amount)"
    case .currency(let asked, let expected):
      "expected an amount in \(expected.code), the order's currency, got \(asked.code)"
    case .grant(let original):
      "expected an order that was paid, got a grant; refund \(original.lowercase), the order that it replaces"
    case .step(let asked, let step):
      "expected a multiple of \(step.amount) \(step.currency.code), the payment provider's smallest amount; "
        + "got \(asked.amount)"
    case .disputed(let id):
      "expected an order whose money is here, but the buyer's bank has taken it for the dispute \(id); wait for its end"
    case .owed(let id):
      "expected an order without owed refunds, got \(id); `onside owed repeat` or `close` it first"
    case .notOwed(let id):
      "expected a failed refund whose money is owed, got \(id); `onside owed` shows them"
    }
  }
}
