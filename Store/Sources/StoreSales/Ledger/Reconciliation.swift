package import StoreBase

/// Compares the ledger with the orders and payments that its rows record (STO-3). Each row of the ledger balances by
/// itself, so that sums find no fault. A row can be missing, have no order or payment as its cause, or differ from it.
public struct Reconciliation {
  /// A difference between the ledger and its orders and payments.
  public struct Fault: Sendable, Hashable, CustomStringConvertible {
    /// The rule that is broken.
    public let rule: Rule
    /// The id of the order, payment or ledger account that breaks the rule.
    public let subject: String

    /// The rule's text and the subject.
    public var description: String { "\(rule.rawValue): \(subject)" }
  }

  /// A rule of the ledger. The raw value is a readable text of the fault.
  public enum Rule: String, Sendable, Hashable, CaseIterable {
    /// A paid order has one sale of its amount and currency: the provider has received it, and the app is owed it.
    case sale = "a paid order without its sale"
    /// An order that was not paid, was free, or duplicates another order has no sale.
    case unpaid = "a sale without a paid order"
    /// A sale has the tax of the rate that its order was taxed with, and none without a rate.
    case tax = "a sale without its tax"
    /// A sale has the commission of the rate it was booked with, on the price without tax.
    case commission = "a sale without its commission"
    /// A refund on record has its rows, and one that failed has them reversed; tax and commission go back in
    /// proportion.
    case refund = "a refund that is not booked as it should be"
    /// The money of a dispute is booked when the bank has taken it, and booked back when it was won.
    case dispute = "a dispute that is not booked as it should be"
    /// What a provider took is between its account and the store's expenses.
    case fee = "a provider's fee that is not booked as it should be"
    /// Each payment that succeeded has paid its order, or is recorded as a surplus to give back.
    case payment = "a payment that is not in the books"
    /// Each surplus has its payment, and what was given back of it is no more than that.
    case surplus = "money to give back without its payment"
    /// The receipts of a legal entity and year have the numbers from 1 to the newest, and each belongs to a sale. A
    /// receipt waits for its number only while none of a minute later has one.
    case receipt = "a receipt number that is missing, or has no sale"
    /// A payout is booked from the app's balance, and from the bank once it has settled.
    case payout = "a payout that is not booked as it should be"
    /// Every row belongs to an order or a payout, and has a known kind.
    case row = "a row of the books without a cause"
    /// An app's balance is the sum over its orders, less its payouts.
    case sum = "an app's balance that its orders do not add up to"
    /// The books of each provider that keeps them in the store's database agree on every settled payment.
    case provider = "a payment of which the provider says something else"
  }

  private let connection: any SQLConnection
  private let providerQueries: [String]

  /// A reconciliation of the ledger, read with one connection.
  ///
  /// - Parameter providerQueries: the queries of ``Rule/provider``. Each selects the faults as `subject`.
  package init(_ connection: any SQLConnection, providerQueries: [String]) {
    (self.connection, self.providerQueries) = (connection, providerQueries)
  }

  /// The faults: at most `limit` of each rule, in the order of the rules. Empty when the ledger is right.
  public func faults(limit: Int = 5) throws -> [Fault] {
    try Rule.allCases.flatMap { rule in
      try rule.subjects(limit: limit, providerQueries: providerQueries, in: connection).map {
        Fault(rule: rule, subject: $0)
      }
    }
  }
}
