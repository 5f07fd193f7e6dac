import Foundation
import OnsideStore
import StoreBase
import StoreTestSupport

/// A store's database as the program of schema 321 left it, with many orders: the rows of a small store that has
/// subscriptions of every kind, again and again with other ids.
struct FormerStore {
  private static let schema = 321
  /// The tables that all copies share: the catalogue, the keys and the codes.
  private static let shared: Set<String> = [
    "apps", "catalogues", "offer_code_batches", "offer_codes", "offer_code_uses", "order_products", "products",
    "revisions", "settings", "signing_keys", "vault_generation",
  ]
  /// How many copies are written with one commit.
  private static let batch = 50

  let place: Workplace
  private let statements: [String]
  /// The statements that are copied, in pieces: between two of them stands the number of the copy.
  private let pieces: [[Substring]]

  init(_ place: Workplace) throws {
    self.place = place
    let fixture = place.examples.appending(
      path: "../Store/Tests/OnsideStoreTests/Persistence/Fixtures/subscriptions-\(Self.schema).sql")
    statements = try String(contentsOf: fixture, encoding: .utf8).components(separatedBy: ";\n").filter { !$0.isEmpty }
    pieces = statements.filter { !Self.shared.contains(Self.table($0)) }.map { statement in
      // The copies differ in an id's first eight digits, a card, an address, and the series of a receipt's number.
      statement.replacing(/[0-9a-f]{8}(-[0-9a-f]{4}-)/) { "\u{1}\($0.1)" }
        .replacing(/'sandbox', '([a-z_]+)'/) { "'sandbox', '\($0.1)-\u{1}'" }
        .replacing(/'([a-z_]+)', '(Visa|Mastercard)'/) { "'\($0.1)-\u{1}', '\($0.2)'" }
        .replacing("@example", with: ".\u{1}@example").replacing("'R', ", with: "'R\u{1}', ")
        .split(separator: "\u{1}", omittingEmptySubsequences: false)
    }
  }

  /// The table of `INSERT INTO table(…`.
  private static func table(_ statement: String) -> String {
    statement.firstMatch(of: /INSERT INTO ([a-z_]+)\(/).map { String($0.1) } ?? ""
  }

  /// Makes the database; returns how many orders it has.
  func make(orders: Int) async throws -> Int {
    let database = try open()
    try await database.write { connection in
      for statement in statements { try connection.execute(escaped(statement)) }
    }
    let each = try await count(in: database)
    let copies = max(0, (orders + each - 1) / each - 1)
    for first in stride(from: 1, through: copies, by: Self.batch) {
      try await database.write { connection in
        for number in first...min(first + Self.batch - 1, copies) {
          let id = String(format: "%08x", number)
          for parts in pieces { try connection.execute(parts.joined(separator: id)) }
        }
      }
    }
    let made = try await count(in: database)
    await database.close()
    return made
  }

  private func open() throws -> any Database {
    let (migrations, now) = (Migration.all.filter { $0.number <= Self.schema }, SystemClock().now())
    return place.isOnPostgres
      ? try PostgresDatabase.open(at: place.database, migrations: migrations, now: now)
      : try SQLiteDatabase.open(at: place.file(place.database).path, migrations: migrations, now: now)
  }

  private func count(in database: any Database) async throws -> Int {
    try await database.read { Int(try $0.row("SELECT count(*) AS orders FROM orders")?.integer("orders") ?? 0) }
  }

  /// The statement with its bytes as the engine writes them.
  private func escaped(_ statement: String) -> String {
    place.isOnPostgres ? statement.replacing(/([(,] ?)X'([0-9a-f]+)'/) { "\($0.1)'\\x\($0.2)'" } : statement
  }
}
