import Foundation

/// The changes of stored phone numbers to their canonical form, for versions before the numbering plans and for new
/// plans.
struct NumberMigration: Sendable {
  /// A phone number that logs in to an account.
  struct Login: Hashable, Sendable {
    let number: String
    let account: String
    let provedAt: Date
  }

  /// Logins whose number changes, with the canonical number.
  private(set) var changed: [Login: String] = [:]
  /// Logins to delete: another spelling of a number that the same account has proved later.
  private(set) var duplicates: [Login] = []
  /// Accounts by number, for numbers that log in to several accounts. The person has to choose one of them.
  private(set) var shared: [String: [String]] = [:]

  /// Plans the migration of all logins by phone number.
  init(of logins: [Login]) {
    for (number, logins) in Dictionary(grouping: logins, by: { PhoneNumber.canonical(of: $0.number) }) {
      let accounts = Dictionary(grouping: logins, by: \.account)
      if accounts.count > 1 { shared[number] = accounts.keys.sorted() }
      for spellings in accounts.values { migrate(spellings, to: number) }
    }
  }

  /// Plans the migration of one account's spellings of a number.
  private mutating func migrate(_ spellings: [Login], to number: String) {
    let byTime = spellings.sorted { ($0.provedAt, $0.number) > ($1.provedAt, $1.number) }
    duplicates += byTime.dropFirst()
    if let latest = byTime.first, latest.number != number { changed[latest] = number }
  }
}

extension PhoneNumber {
  /// The forms in which versions before the numbering plans may have stored the number, for lookups of keyed hashes
  /// that cannot be converted.
  var formerSpellings: [String] {
    guard let code = NumberingPlans.plan(ofInternational: e164.dropFirst())?.code else { return [] }
    let national = e164.dropFirst(1 + code.count)
    return Self.trunkPrefixes.map { "+" + code + $0 + national }
      .filter { $0.count <= 16 && $0 != e164 && Self.canonical(of: $0) == e164 }
  }

  /// The national prefixes of all plans, with those that Mexico has abolished.
  private static let trunkPrefixes = ["0", "1", "8", "06", "01", "044", "045"]
}
