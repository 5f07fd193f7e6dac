import OnsideAPI
package import StoreBase

/// Stores each phone number in its canonical form, unless that is another account's: once for each database and version
/// of the numbering plans.
///
/// The numbers are read and parsed before the writes, which a large store would keep waiting.
package struct NumberCorrection: Sendable {
  /// The setting that names the version of the plans by which the numbers were corrected.
  private static let setting = "numbering_plans"
  private static let pieceSize = 200

  private struct Change: Sendable {
    let stored: String
    let canonical: String
    let account: String
  }

  package let database: any Database

  package init(database: any Database) {
    self.database = database
  }

  package func run() async throws {
    let version = NumberingPlans.version
    let corrected = try await database.read { try StoreSettings(connection: $0).value(Self.setting) }
    if corrected == version { return }
    let changes = try await changes()
    for start in stride(from: 0, to: changes.count, by: Self.pieceSize) {
      let piece = changes[start..<min(start + Self.pieceSize, changes.count)]
      try await database.write { connection in
        for change in piece { try Self.apply(change, in: connection) }
      }
    }
    try await database.write { try StoreSettings(connection: $0).set(Self.setting, to: version) }
  }

  private func changes() async throws -> [Change] {
    let rows = try await database.read { connection in
      try connection.rows("SELECT contact, account_id FROM identities WHERE contact LIKE '+%' ORDER BY contact")
    }
    return try rows.compactMap { row in
      let stored = try row.text("contact")
      let canonical = PhoneNumber.canonical(of: stored)
      if canonical == stored { return nil }
      return Change(stored: stored, canonical: canonical, account: try row.text("account_id"))
    }
  }

  /// Renames a number whose canonical form is free, or deletes it when the account has the canonical form, too.
  private static func apply(_ change: Change, in connection: any SQLConnection) throws {
    let values: [SQLValue] = [.text(change.stored), .text(change.account), .text(change.canonical)]
    try connection.execute(
      """
      UPDATE identities SET contact = $3 WHERE contact = $1 AND account_id = $2
      AND NOT EXISTS (SELECT 1 FROM identities WHERE contact = $3)
      """, values)
    try connection.execute(
      """
      DELETE FROM identities WHERE contact = $1 AND account_id = $2
      AND EXISTS (SELECT 1 FROM identities WHERE contact = $3 AND account_id = $2)
      """, values)
  }
}
