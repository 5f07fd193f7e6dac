public import Foundation
public import OnsideCommerce
import StoreBase

/// A refund of a part or the whole of a payment.
public struct Refund: Sendable, Hashable, Identifiable {
  /// The state of a refund.
  public enum State: String, Sendable, Hashable, CaseIterable {
    /// The refund is booked, and requested from the provider.
    case asked
    /// The provider has reported the success of the refund.
    case settled
    /// The provider has reported the failure of the refund, or the return of its money. Its ledger entries are
    /// reversed.
    case failed
  }

  /// The party that requested a refund.
  public struct Origin: RawRepresentable, Sendable, Hashable {
    /// The name in the database.
    public let rawValue: String

    /// An origin by its name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The operator of the store, with a command.
    public static let `operator` = Origin(rawValue: "operator")
    /// A refund that was made at the provider and reported to the store.
    public static let provider = Origin(rawValue: "provider")
    /// The buyer's bank, with a dispute.
    public static let bank = Origin(rawValue: "bank")
    /// The store, because the payment was a surplus, or a bank has warned of fraud.
    public static let store = Origin(rawValue: "store")
    /// A change of plan: the unused part of a period's price. Also the price of a prepaid next period, when the running
    /// period is refunded. It revokes no purchase.
    public static let planChange = Origin(rawValue: "plan change")
    /// A subscription that the operator has stopped: the unused part of a period's price. It revokes no purchase.
    public static let stop = Origin(rawValue: "stop command")

    /// A Boolean value that indicates whether the refund is of unused time alone, and revokes no purchase.
    var isOfUnusedTime: Bool { self == .planChange || self == .stop }
  }

  /// The failure of a refund that was not requested, because a bank held the money.
  static let heldByBank = "the payment is disputed"

  /// The id of the refund. For a refund that was made at the provider: the provider's name and its id there. For a
  /// chargeback: the id of the ``Dispute``.
  public let id: String
  /// The order that was paid.
  public let orderID: UUID
  /// The payment; nil for an order that was paid without one.
  public let paymentID: String?
  /// The amount.
  public let amount: Money
  /// A Boolean value that indicates whether the refund is of a surplus payment, which has paid no order.
  public let isSurplus: Bool
  /// The reason of the refund.
  public let reason: RevocationReason
  /// The party that requested the refund.
  public let origin: Origin
  /// The state of the refund.
  public internal(set) var state: State
  /// The provider's id of the refund, after its report.
  public internal(set) var reference: String?
  /// The reason of the failure, in the provider's words.
  public internal(set) var failure: String?
  /// The time of the request.
  public let askedAt: Date
  /// The time of the success or failure.
  public internal(set) var endedAt: Date?
  /// The id of the refund that replaces a failed one, or ``byOperator``. While it is nil, the store owes the buyer the
  /// money.
  public internal(set) var replacedBy: String?

  /// The replacement of a failed refund that the operator has closed without another refund.
  static let byOperator = "operator"

  /// A Boolean value that indicates whether the refund has failed and has no replacement. Chargebacks whose money the
  /// bank has returned are excluded, because they were never owed.
  var isUnreplaced: Bool { state == .failed && origin != .bank && replacedBy == nil }

  /// A Boolean value that indicates whether the operator has closed the failed refund without another refund.
  public var isClosed: Bool { replacedBy == Self.byOperator }

  /// A Boolean value that indicates whether the amount is deducted from the payment: the refund is requested, settled
  /// or closed.
  var isDeducted: Bool { state != .failed || isClosed }
}

/// An error of a rejected refund.
public enum RefundError: Error, Sendable, Hashable, CustomStringConvertible {
  /// The amount is higher than the unrefunded part of the price, or zero.
  case amount(asked: Money, left: Money)
  /// The amount is in another currency than the order's.
  case currency(asked: Currency, expected: Currency)
  /// The order is a grant, which costs nothing: the order that it replaces was paid.
  case grant(of: UUID)
  /// The provider moves multiples of a step only.
  case step(asked: Money, step: Money)
  /// The buyer's bank has taken the money for a dispute: a refund would pay twice.
  case disputed(String)
  /// A refund of a surplus payment of the order has failed, and is owed.
  case owed(String)
  /// The refund has not failed, has a replacement, is closed, or its payment is refunded.
  case notOwed(String)

  /// The expected and the actual value.
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
