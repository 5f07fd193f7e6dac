import Foundation
package import StoreBase

/// The registered apps, in memory and on disk. Every request asks it.
public final class AppDirectory: Sendable {
  package let database: any Database
  package let clock: any StoreClock
  /// Removes data of other modules with an app, in the same transaction.
  package typealias Removal = @Sendable (_ app: String, StoreTransaction) throws -> Void

  package let removal: Removal
  private let apps = ReloadedValue<[String: App]>([:])

  package init(database: any Database, clock: any StoreClock, removal: @escaping Removal) {
    self.database = database
    self.clock = clock
    self.removal = removal
  }

  /// The app with an identifier, or nil.
  public func app(_ id: String) -> App? { apps.read { $0[id] } }

  /// Every app, by identifier.
  public var all: [App] { apps.read { $0.values.sorted { $0.id < $1.id } } }

  /// Registers an app, or changes the one with the same identifier. Throws ``AppRegistrationError``.
  public func register(_ app: App) async throws {
    try Self.check(app)
    try await database.write(at: clock.now()) { try AppRecords.save(app, in: $0) }
    try await reload()
  }

  /// Reads the apps again, after another process may have changed them.
  package func reload() async throws {
    try await apps.reload {
      let read = try await database.read { try AppRecords.all(in: $0) }
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
