import Foundation
import OnsideCommerce

/// The registered apps, in memory and on disk. Every request asks it.
public final class AppDirectory: Sendable {
  private let database: any Database
  private let clock: any StoreClock
  private let apps = ReloadedValue<[String: App]>([:])

  init(database: any Database, clock: any StoreClock) {
    self.database = database
    self.clock = clock
  }

  /// The app with an identifier, or nil.
  public func app(_ id: String) -> App? { apps.read { $0[id] } }

  /// Every app, by identifier.
  public var all: [App] { apps.read { $0.values.sorted { $0.id < $1.id } } }

  /// Registers an app, or changes the one with the same identifier. Throws ``AppRegistrationError``.
  public func register(_ app: App) async throws {
    try Self.check(app)
    let now = clock.now()
    let redirects = String(decoding: try JSONEncoder().encode(app.redirectURIs), as: UTF8.self)
    try await database.write { connection in
      try connection.execute(
        """
        INSERT INTO apps(id, name, redirect_uris, default_country, install_uri, created_at)
        VALUES ($1, $2, $3, $4, $5, $6)
        ON CONFLICT(id) DO UPDATE SET name = excluded.name, redirect_uris = excluded.redirect_uris,
          default_country = excluded.default_country, install_uri = excluded.install_uri
        """,
        [
          .text(app.id), .text(app.name), .text(redirects), .text(app.defaultCountry?.alpha2), .text(app.installURI),
          .date(now),
        ])
    }
    try await reload()
  }

  /// Closes an app's access. What was bought stays on record, and so does what it sold.
  public func remove(_ id: String) async throws {
    try await database.write { try $0.execute("DELETE FROM apps WHERE id = $1", [.text(id)]) }
    try await reload()
  }

  /// Reads the apps again, after another process may have changed them.
  func reload() async throws {
    try await apps.reload {
      let rows = try await database.read { try $0.rows("SELECT * FROM apps") }
      let read = try rows.map { row in
        App(
          id: try row.text("id"), name: try row.text("name"),
          redirectURIs: try JSONDecoder().decode([String].self, from: Data(try row.text("redirect_uris").utf8)),
          defaultCountry: try row.optionalText("default_country").flatMap { CountryCode(alpha2: $0) },
          installURI: try row.optionalText("install_uri"))
      }
      return Dictionary(uniqueKeysWithValues: read.map { ($0.id, $0) })
    }
  }

  private static func check(_ app: App) throws(AppRegistrationError) {
    let isIdentifier = app.id.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
        true
      default: false
      }
    }
    guard isIdentifier, !app.id.isEmpty, app.id.utf8.count <= 155 else { throw .invalidIdentifier(app.id) }
    for address in app.redirectURIs + (app.installURI.map { [$0] } ?? []) where !isRedirect(address) {
      throw .invalidRedirect(address)
    }
  }

  private static func isRedirect(_ address: String) -> Bool {
    guard address.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7f }), let parts = URLComponents(string: address),
      let scheme = parts.scheme?.lowercased(), parts.fragment == nil,
      parts.user == nil, parts.password == nil
    else { return false }
    switch scheme {
    case "https": return parts.host?.isEmpty == false
    case "http": return parts.host == "127.0.0.1" || parts.host == "[::1]"
    // The last one opens the store's own app, which would answer itself.
    case "javascript", "data", "file", "blob", "about", "vbscript", "onside": return false
    default: return true
    }
  }
}

extension Migration {
  static let apps = [
    Migration(
      2, "apps",
      """
      CREATE TABLE apps(
        id TEXT PRIMARY KEY, name TEXT NOT NULL, redirect_uris TEXT NOT NULL, default_country TEXT,
        created_at BIGINT NOT NULL) WITHOUT ROWID;
      """),
    Migration(40, "install addresses", "ALTER TABLE apps ADD COLUMN install_uri TEXT;"),
  ]
}
