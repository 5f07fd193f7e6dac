import Crypto
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideStore
import StoreAccounts
import StoreBase

/// A store whose database holds purchases of a year: those of many accounts with ten each, and those of one account
/// with many, of which some are for products that it keeps.
struct GrownStore: Sendable {
  /// How many purchases an ordinary account has made.
  static let each = 10
  /// How many products the one account keeps, and how many of its orders its app has not finished.
  static let kept = 50
  static let unfinished = 10

  let server: ServerProcess
  /// The ordinary accounts that buy, and the one with many orders.
  private let buyers: [String]
  private let reader: String
  private let key: SymmetricKey
  private let tokens: VersionedKey<AccessTokenIssuer>

  /// Makes the database, and starts a store on it.
  ///
  /// - Parameters:
  ///   - purchases: those of the ordinary accounts.
  ///   - buyers: how many of these accounts will buy.
  ///   - own: the orders of the one account.
  static func open(_ place: Workplace, purchases: Int, buyers: Int, own: Int) async throws -> GrownStore {
    try await ExampleShop.open(place)
    let template = try await buyOne(place)
    let filled = try await StoreDatabase.withCore(place) { core in
      let database = core.dependencies.database
      let copies = [(purchases, accounts: max(1, purchases / each), mark: 1), (own, accounts: 1, mark: 2)].map {
        CopiedPurchases(count: $0, accounts: $1, mark: $2, isPostgres: place.isOnPostgres)
      }
      let accounts = try await copies[0].write(to: database, like: template)
      guard accounts.count >= buyers, let reader = try await copies[1].write(to: database, like: template).first
      else { throw BenchFailure("expected at least \(buyers) accounts, got \(accounts.count)") }
      try await keepSome(of: reader, in: database)
      return (
        buyers: (0..<buyers).map { accounts[$0 * accounts.count / buyers] }, reader: reader,
        key: core.sandboxProviderKey, tokens: core.accessToken
      )
    }
    return GrownStore(
      server: try await ServerProcess.store(place), buyers: filled.buyers, reader: filled.reader, key: filled.key,
      tokens: filled.tokens)
  }

  /// Buys over HTTP, as one account; returns the order's id.
  static func buyOne(_ place: Workplace) async throws -> String {
    let store = try await ServerProcess.store(place)
    let requests = try await PurchaseRequests(place, accounts: try await Accounts.logIn(Accounts.phones(1), at: store))
    _ = try await Load(sequences: try requests.make(1)).run(port: store.port, connections: 1)
    await store.stop()
    return try await StoreDatabase.withCore(place) { core in
      let row = try await core.dependencies.database.read {
        try $0.row("SELECT id FROM orders WHERE finished_at IS NOT NULL").map { try $0.text("id") }
      }
      guard let row else { throw BenchFailure("expected a finished order in the database") }
      return row
    }
  }

  /// Gives some orders of an account, one in so many, each a product that it keeps, and takes back the finish of its
  /// last ones.
  private static func keepSome(of account: String, in database: any Database) async throws {
    try await database.write { connection in
      let orders = try connection.rows("SELECT id FROM orders WHERE account_id = $1 ORDER BY id", [.text(account)])
        .map { SQLValue.text(try $0.text("id")) }
      for number in 0..<kept {
        let order = orders[number * orders.count / kept]
        let (id, product) = (SQLValue.integer(number), SQLValue.text("level_\(number)"))
        try connection.execute(
          """
          INSERT INTO order_products(id, message)
          SELECT $1, replace(replace(p.message, '"kind":"CONSUMABLE"', '"kind":"NON_CONSUMABLE"'),
            '"id":"' || o.product_id || '"', '"id":"' || $2 || '"')
          FROM orders o JOIN order_products p ON p.id = o.ordered_product WHERE o.id = $3
          """, [id, product, order])
        try connection.execute(
          "UPDATE orders SET product_id = $1, ordered_product = $2, is_restorable = 1 WHERE id = $3",
          [product, id, order])
      }
      for order in orders.suffix(unfinished) {
        try connection.execute("UPDATE orders SET finished_at = NULL WHERE id = $1", [order])
      }
    }
  }

  /// The requests of purchases, with fresh access tokens.
  func purchases(_ count: Int) throws -> [[Load.Request]] {
    try PurchaseRequests(key: key, accounts: try buyers.map(token)).make(count)
  }

  /// The headers of the account with many orders.
  func readerHeaders() throws -> [String] { ["Authorization: Bearer \(try token(of: reader).accessToken)"] }

  private func token(of account: String) throws -> TokenMessage {
    guard let id = AccountID(account), let country = CountryCode(alpha2: ExampleShop.country) else {
      throw BenchFailure("expected an account's id, got \(account)")
    }
    let session = UUID().uuidString.lowercased()
    let token = tokens.issue(
      accountID: account, appID: ExampleShop.app, sessionID: session, now: Platform.now())
    return TokenMessage(accessToken: token, expiresIn: 600, refreshToken: "", accountID: id, country: country)
  }
}
