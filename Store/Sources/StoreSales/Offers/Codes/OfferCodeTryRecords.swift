import Foundation
import OnsideAPI
import StoreAccounts
import StoreBase

/// The table of wrong offer codes, by account and by network: guesses are delayed. The rows are in the database, as
/// those of login codes are, so that several processes count together.
enum OfferCodeTryRecords {
  /// Wrong codes of one account in an hour.
  static let perAccount = 10
  /// Wrong codes from one network in an hour.
  static let perNetwork = 60
  private static let window: TimeInterval = 3600

  /// The tries of an account as a part of its export.
  static let export = AccountTable(
    name: "offer_code_tries", table: "offer_code_tries", condition: "source = $1",
    subject: { source(account: $0.description) })

  /// Seconds until a code of a source is looked at again; nil when it is now. An account that has entered no wrong code
  /// in the hour does not wait for its network: one household, office or carrier shares it.
  static func wait(account: String, network: String, in transaction: StoreTransaction) throws -> Int? {
    let sources = sources(account: account, network: network)
    guard try wait(source: sources[0], limit: 1, in: transaction) != nil else { return nil }
    return try zip(sources, [perAccount, perNetwork]).compactMap {
      try wait(source: $0, limit: $1, in: transaction)
    }.max()
  }

  /// What is counted by; hashes, since nothing else needs to know whose tries they were.
  private static func sources(account: String, network: String) -> [String] {
    [source(account: account), "network:\(network)".sha256Base64URL]
  }

  private static func source(account: String) -> String { "account:\(account)".sha256Base64URL }

  private static func wait(source: String, limit: Int, in transaction: StoreTransaction) throws -> Int? {
    let row = try transaction.row(
      """
      SELECT tried_at FROM offer_code_tries WHERE source = $1 AND tried_at > $2
      ORDER BY tried_at DESC LIMIT 1 OFFSET \(limit - 1)
      """, [.text(source), .date(transaction.now - window)])
    guard let oldest = try row?.date("tried_at") else { return nil }
    return max(1, Int((oldest + window).timeIntervalSince(transaction.now).rounded(.up)))
  }

  /// Counts a wrong code.
  static func count(
    account: String, network: String, _ random: any RandomSource, in transaction: StoreTransaction
  ) throws {
    for source in sources(account: account, network: network) {
      try transaction.execute(
        "INSERT INTO offer_code_tries(id, source, tried_at) VALUES ($1, $2, $3)",
        [.text(random.uuid7(at: transaction.now).lowercase), .text(source), .date(transaction.now)])
    }
  }

  /// Forgets some of those that count no more; returns how many.
  static func clear(at now: Date, in connection: any SQLConnection) throws -> Int {
    try connection.deleteSome(from: "offer_code_tries", where: "tried_at < $1", [.date(now - window)])
  }

  /// Forgets those of an account.
  static func forget(account: String, in transaction: StoreTransaction) throws {
    try transaction.execute("DELETE FROM offer_code_tries WHERE source = $1", [.text(source(account: account))])
  }
}
