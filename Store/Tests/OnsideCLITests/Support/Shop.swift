import Foundation
import Logging
import OnsideCommerce
import OnsideStore
import StoreAccounts
import StoreBase
import StoreSales
import StoreTestSupport
import Testing

/// A store's database with an app, a product and an account in it, made and read without the program.
struct Shop {
  static let app = "io.example.lumen"
  static let account = "01935b6c-1d2e-7f3a-8b4c-5d6e7f8a9b0c"

  let accessToken: String
  private let location: DatabaseLocation

  /// - Parameter location: the database; nil for the file that programs open in the folder.
  init(_ folder: TemporaryFolder, database location: DatabaseLocation? = nil) async throws {
    self.location = location ?? .sqlite(path: folder.file("onside.sqlite"))
    accessToken = try await Self.open(self.location) { core in
      let account = Self.account
      try await core.apps.register(App(id: Self.app, name: "Lumen", redirectURIs: ["http://127.0.0.1/callback"]))
      let gold = Product(
        id: "gold", kind: .consumable, referenceName: "Gold",
        prices: [.netherlands: Money(minorUnits: 99, currency: .eur)])
      try await core.catalogue.replace(Catalogue(products: [gold]), of: Self.app)
      try await core.dependencies.database.write { connection in
        try connection.execute(
          "INSERT INTO accounts(id, country, created_at) VALUES ($1, 'NL', 0)", [.text(account)])
        try connection.execute(
          "INSERT INTO identities(contact, account_id, verified_at) VALUES ('+31612345678', $1, 0)", [.text(account)])
      }
      return core.accessToken.issue(
        accountID: account, appID: Self.app, sessionID: account, now: core.dependencies.clock.now())
    }
  }

  /// A shop in the file of a test's folder, or in a PostgreSQL database of its own; and what tells the program so.
  static func make(
    on engine: TestEngine, in folder: TemporaryFolder
  ) async throws -> (shop: Shop, environment: [String: String]) {
    guard engine == .postgres else { return (try await Shop(folder), [:]) }
    let server = try await SharedPostgresServer.server
    let url = server.url(try await server.makeDatabase())
    let location = try #require(DatabaseLocation(url))
    return (try await Shop(folder, database: location), ["ONSIDE_DATABASE": url])
  }

  /// What the database says when no program has it open.
  struct Books: Sendable {
    let orders: [OrderListing]
    let sales: [String: Int]
    /// What the books say wrong.
    let faults: [Reconciliation.Fault]
    /// What SQLite's own check of the file says; nil on PostgreSQL.
    let integrity: String?
  }

  func books() async throws -> Books {
    let isFile = location.path != nil
    return try await open { core in
      try await core.dependencies.database.read { connection in
        let sales = try connection.rows(
          "SELECT order_id, count(*) AS entries FROM ledger WHERE kind = 'sale' GROUP BY 1")
        return Books(
          orders: try OrderListing.newest(10_000, in: connection),
          sales: Dictionary(
            uniqueKeysWithValues: try sales.map { (try $0.text("order_id"), Int(try $0.integer("entries"))) }),
          faults: try Reconciliation(connection).faults(),
          integrity: isFile ? try connection.row("PRAGMA integrity_check")?.text("integrity_check") : nil)
      }
    }
  }

  /// Opens the shop's database beside the programs that have it open, and closes it again.
  func open<Result: Sendable>(_ body: (StoreCore) async throws -> Result) async throws -> Result {
    try await Self.open(location, body)
  }

  static func open<Result: Sendable>(
    _ location: DatabaseLocation, _ body: (StoreCore) async throws -> Result
  ) async throws -> Result {
    let database = try location.open(now: SystemClock().now())
    let core = try await StoreCore(
      StoreDependencies(database: database, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    let result = try await body(core)
    await database.close()
    return result
  }
}
