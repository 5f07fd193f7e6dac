import Foundation
import OnsideStore
import StoreBase

/// PostgreSQL's own benchmark, with the statements that the store sends for a purchase: prepared, from many clients at
/// the same time, without HTTP, rules and signatures.
struct PgbenchPeer {
  private let place: Workplace
  private let url: String
  private let clients: Int
  private let accounts: Int

  /// Writes the script of a purchase.
  ///
  /// - Parameters:
  ///   - log: the statements of one purchase, in their transactions.
  ///   - ids: the ids in it, which each purchase has of its own, and the account that it belongs to.
  init(
    _ place: Workplace, url: String, log: StatementLog, ids: [String], account: String, clients: Int, accounts: Int
  ) async throws {
    (self.place, self.url, self.clients, self.accounts) = (place, url, clients, accounts)
    let lines = log.entries.map { entry in
      switch entry {
      case .begin: "BEGIN;"
      case .end: "COMMIT;"
      case .statement(let sql): Self.varied(sql, ids: ids, account: account) + ";"
      }
    }
    let script = ["\\set c :c + 1", "\\set n :base + :c * \(clients) + :client_id", "\\set a random(1, \(accounts))"]
    try (script + lines).joined(separator: "\n")
      .write(to: place.file("purchase.sql"), atomically: true, encoding: .utf8)
  }

  /// The statement with ids made from the purchase's number.
  private static func varied(_ sql: String, ids: [String], account: String) -> String {
    var sql = sql.replacing("'\(account)'", with: "('account-' || (:a)::text)")
    for (index, id) in ids.enumerated() {
      sql = sql.replacing("'\(id)'", with: "(lpad(to_hex((:n)::bigint), 35, '0') || '\(index)')")
    }
    return sql
  }

  /// Adds the accounts that buy.
  func makeAccounts() async throws {
    guard let location = DatabaseLocation(url) else { throw BenchFailure("expected a database, got \(url)") }
    let database = try location.open(now: Platform.now())
    try await database.write { [accounts] connection in
      for number in 1...accounts {
        try connection.execute(
          "INSERT INTO accounts(id, country, created_at) VALUES ($1, 'NL', 0)", [.text("account-\(number)")])
      }
    }
    await database.close()
  }

  /// Runs purchases; returns the rate in purchases per second.
  ///
  /// - Parameter round: tells the ids of this run from those of the runs before.
  func run(_ count: Int, round: Int) async throws -> Double {
    let lines = try await BenchProcess.run(
      URL(filePath: "/usr/bin/pgbench"),
      arguments: [
        "--no-vacuum", "--protocol=prepared", "--client=\(clients)", "--jobs=2",
        "--transactions=\(max(1, count / clients))", "--define=c=0", "--define=base=\(round * 100_000_000)",
        "--file=purchase.sql", url,
      ], in: place.folder)
    let rate = lines.compactMap { $0.firstMatch(of: /^tps = ([0-9.]+) \(without/).flatMap { Double($0.1) } }.first
    let failed = lines.contains { $0.hasPrefix("number of failed transactions: ") && !$0.contains(": 0 ") }
    guard let rate, !failed else { throw BenchFailure("pgbench gave no rate: \(lines)") }
    return rate
  }
}
