import Foundation
import OnsideCommerce

/// Writes the ledger as hledger's journal format: plain-text accounting, which hledger and ledger read.
struct LedgerJournal {
  /// The account that opening balances leave what was earned before to.
  static let retainedEarnings = "equity:retained-earnings"

  /// The text so far.
  private(set) var text = ""

  /// Declares the currencies with their decimal places, and the accounts with their kinds, so that `hledger check
  /// --strict` finds any other one.
  mutating func declare(_ currencies: [Currency], accounts: [LedgerAccount], period: String) {
    text += "; The ledger of a store, \(period). A transaction is a row of the ledger; days are UTC.\n"
    text += "decimal-mark .\n\n"
    for currency in currencies {
      text += "commodity 1000.\(String(repeating: "0", count: currency.exponent)) \(currency.code)\n"
    }
    text += "\n"
    for account in accounts { text += "account \(account.path)  ; type:\(account.kind.rawValue)\n" }
    text += "account \(Self.retainedEarnings)  ; type:E\n\n"
  }

  /// The balances before a period as its first transaction. What was earned before is not earned in the period again:
  /// it is retained earnings.
  mutating func open(_ balances: [LedgerBalance], at start: Date) throws {
    guard !balances.isEmpty else { return }
    text += "\(Self.day(start)) opening balances\n"
    var earned: [Currency: Money] = [:]
    for balance in balances {
      guard balance.account.kind == .revenue || balance.account.kind == .expense else {
        post(balance.amount, to: balance.account.path)
        continue
      }
      let currency = balance.amount.currency
      earned[currency] = try (earned[currency] ?? .zero(currency)).adding(balance.amount)
    }
    for amount in earned.values.sorted(by: { $0.currency.code < $1.currency.code }) where !amount.isZero {
      post(amount, to: Self.retainedEarnings)
    }
    text += "\n"
  }

  /// One row. Its code is the order or the payout that caused it; the tags have the kind, the rate and the time.
  mutating func add(_ entry: Ledger.Entry) throws {
    let name = entry.kindName.replacing("_", with: " ")
    var tags = ["kind:\(Self.plain(entry.kind))", "at:\(entry.date.ISO8601Format(Self.time))"]
    if let points = entry.basisPoints { tags.append("basis_points:\(points)") }
    text += "\(Self.day(entry.date)) (\(Self.plain(entry.orderID))) \(Self.plain(name))"
    text += "  ; \(tags.joined(separator: ", "))\n"
    try post(entry.amount, to: LedgerAccount(entry.debit).path)
    try post(
      Money.zero(entry.amount.currency).subtracting(entry.amount), to: LedgerAccount(entry.credit).path)
    text += "\n"
  }

  /// The text so far, which is forgotten.
  mutating func take() -> String {
    defer { text = "" }
    return text
  }

  private mutating func post(_ amount: Money, to account: String) {
    let (name, figure) = ("    \(account)", "\(amount.amount) \(amount.currency.code)")
    // Two spaces end the account's name.
    let gap = max(2, 76 - name.utf8.count - figure.utf8.count)
    text += name + String(repeating: " ", count: gap) + figure + "\n"
  }

  private static func day(_ date: Date) -> String { date.ISO8601Format(.iso8601.year().month().day()) }

  private static let time = Date.ISO8601FormatStyle(includingFractionalSeconds: true)

  /// A text without the characters that end a code or a tag: a provider chooses the ids of its payments.
  private static func plain(_ text: some StringProtocol) -> String {
    String(
      String.UnicodeScalarView(
        text.unicodeScalars.map { scalar in
          let isSpecial = ";,|()".unicodeScalars.contains(scalar) || scalar.properties.generalCategory == .control
          return isSpecial ? "_" : scalar
        }))
  }
}
