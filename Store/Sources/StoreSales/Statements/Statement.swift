public import Foundation
public import OnsideCommerce
import StoreBase

/// What happened in a month to the balance that a store owes an app: every row of the ledger that touches the app's
/// account.
public struct Statement: Sendable, Hashable {
  /// The app.
  public let app: String
  /// The month, in UTC.
  public let month: StatementMonth
  /// What the store owed at the beginning of the month, by currency; zero is left out.
  public let opening: [Money]
  /// The rows, in the order of time.
  public let lines: [Line]

  /// One row of the ledger, as the app sees it.
  public struct Line: Sendable, Hashable {
    /// When it was booked.
    public let date: Date
    /// The order, or the payout, that caused it.
    public let cause: String
    /// What it is: `sale`, `tax`, `commission`, `refund`, `payout`…
    public let kind: String
    /// The product that was ordered; nil for a payout.
    public let product: String?
    /// The region of the order; nil for a payout.
    public let country: String?
    /// What the app gets, negative for what it gives.
    public let amount: Money
  }

  /// The sum of the lines of one kind.
  public struct Total: Sendable, Hashable {
    /// The kind.
    public let kind: String
    /// How many lines.
    public let count: Int
    /// Their sum.
    public let amount: Money
  }

  /// The currencies of the statement, by code.
  public var currencies: [Currency] {
    Set(opening.map(\.currency) + lines.map(\.amount.currency)).sorted { $0.code < $1.code }
  }

  /// What the store owed at the beginning, in a currency.
  public func opening(_ currency: Currency) -> Money {
    opening.first { $0.currency == currency } ?? .zero(currency)
  }

  /// The sums of a currency by kind, in the order in which the kinds first appear.
  public func totals(_ currency: Currency) throws -> [Total] {
    var kinds: [String] = []
    var sums: [String: (count: Int, amount: Money)] = [:]
    for line in lines where line.amount.currency == currency {
      if sums[line.kind] == nil { kinds.append(line.kind) }
      let sum = sums[line.kind] ?? (0, .zero(currency))
      sums[line.kind] = (sum.count + 1, try sum.amount.adding(line.amount))
    }
    return kinds.compactMap { kind in
      sums[kind].map { Total(kind: kind, count: $0.count, amount: $0.amount) }
    }
  }

  /// What the store owes at the end of the month, in a currency: the opening balance and all lines.
  public func closing(_ currency: Currency) throws -> Money {
    try totals(currency).reduce(opening(currency)) { try $0.adding($1.amount) }
  }

  /// One line for each row, the opening balances first: the amounts of a currency add up to what the store owes.
  public var csv: String {
    let header = ["booked_at", "cause", "kind", "product", "country", "currency", "amount"]
    let first = opening.map { amount in
      [month.start.ISO8601Format(), "", "opening_balance", "", "", amount.currency.code, amount.amount]
    }
    let rows = lines.map { line in
      [
        line.date.ISO8601Format(), line.cause, line.kind, line.product ?? "", line.country ?? "",
        line.amount.currency.code, line.amount.amount,
      ]
    }
    return ([header] + first + rows).map(CSV.line).joined()
  }
}

/// A calendar month of UTC.
public struct StatementMonth: Sendable, Hashable, CustomStringConvertible {
  /// Its first moment.
  public let start: Date
  /// The first moment after it.
  public let end: Date
  /// `2026-11`.
  public let description: String

  /// The month of a text such as `2026-11`; nil for any other text.
  public init?(_ text: String) {
    let style = Date.ISO8601FormatStyle().year().month()
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    guard text.utf8.count == 7, let start = try? Date("\(text)-01T00:00:00Z", strategy: .iso8601),
      start.ISO8601Format(style) == text, let end = calendar.date(byAdding: .month, value: 1, to: start)
    else { return nil }
    (self.start, self.end, description) = (start, end, text)
  }
}
