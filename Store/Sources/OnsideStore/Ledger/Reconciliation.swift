/// Holds the books against the orders and payments that they tell of (STO-3). Each row of the ledger balances by itself, so
/// that sums say nothing: what can be wrong is that a row is missing, is there without a cause, or says something else
/// than its cause does.
public struct Reconciliation {
  /// Something that the books say and their causes do not, or the other way round.
  public struct Fault: Sendable, Hashable, CustomStringConvertible {
    /// The rule that is broken.
    public let rule: Rule
    /// The order, payment or account of the books that breaks it.
    public let subject: String

    /// What is wrong with what.
    public var description: String { "\(rule.rawValue): \(subject)" }
  }

  /// What has to be so. The raw value is for people.
  public enum Rule: String, Sendable, Hashable, CaseIterable {
    /// A paid order has one sale of its amount and currency, from the provider to its app.
    case sale = "a paid order without its sale"
    /// What was not paid, was free, or is another order's, has none.
    case unpaid = "a sale without a paid order"
    /// A sale has the commission of the rate it was booked with.
    case commission = "a sale without its commission"
    /// A sale that was taken back has its rows turned round, and no other has.
    case refund = "a refund that is not booked as it should be"
    /// Each payment that succeeded has paid its order, or is to go back.
    case payment = "a payment that is not in the books"
    /// Money that is to go back is that of a payment, and went back at most once.
    case surplus = "money to give back without its payment"
    /// Every row is of an order and of a known kind.
    case row = "a row of the books without a cause"
    /// What an app has earned is the sum over its orders.
    case sum = "an app's balance that its orders do not add up to"
    /// The sandbox provider's own books say the same of every settled payment.
    case provider = "a payment of which the provider says something else"
  }

  private let connection: any SQLConnection

  /// Looks at the books as one connection sees them.
  public init(_ connection: any SQLConnection) { self.connection = connection }

  /// What breaks a rule: at most `limit` of each rule, in the order of the rules. Empty when the books are right.
  public func faults(limit: Int = 5) throws -> [Fault] {
    try Rule.allCases.flatMap { rule in
      try connection.rows("\(rule.query) LIMIT \(limit)").map {
        Fault(rule: rule, subject: try $0.text("subject"))
      }
    }
  }
}
