import OnsideAPI
package import StoreBase

/// Versions before the numbering plans stored a phone number as it was typed: `+4407911…` beside `+447911…`. The first
/// start of a later version corrects them. Where two accounts have spellings of one number, a login finds both.
extension AccountRecords {
  /// Returns the accounts of an identity, that of its own spelling first. Several accounts have one phone number only
  /// if an earlier version stored it in several spellings.
  static func accounts(identity: Identity, in connection: any SQLConnection) throws -> [Account] {
    let rows = try identity.spellings.compactMap { spelling in
      try connection.row("SELECT account_id FROM identities WHERE contact = $1", [.text(spelling)])
    }
    var ids: [AccountID] = []
    for row in rows {
      if let id = AccountID(try row.text("account_id")), !ids.contains(id) { ids.append(id) }
    }
    return try ids.compactMap { try account(id: $0, in: connection) }
  }

  /// All phone numbers as they are stored, in their order, with their accounts.
  static func storedNumbers(in connection: any SQLConnection) throws -> [(stored: String, account: String)] {
    try connection.rows("SELECT contact, account_id FROM identities WHERE contact LIKE '+%' ORDER BY contact")
      .map { (try $0.text("contact"), try $0.text("account_id")) }
  }

  /// Renames a number whose canonical form is free, or deletes it if its account has the canonical form, too.
  static func correctNumber(
    _ stored: String, to canonical: String, of account: String, in connection: any SQLConnection
  ) throws {
    let values: [SQLValue] = [.text(stored), .text(account), .text(canonical)]
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

  /// The phone numbers of several accounts, masked, each with the ids of its accounts.
  package static func sharedNumbers(in connection: any SQLConnection) throws -> [(number: String, accounts: [String])] {
    let rows = try connection.rows("SELECT contact, account_id FROM identities WHERE contact LIKE '+%'")
    let numbers = try Dictionary(grouping: rows) { PhoneNumber.canonical(of: try $0.text("contact")) }
    return try numbers.compactMap { number, rows in
      let accounts = try Set(rows.map { try $0.text("account_id") }).sorted()
      return accounts.count > 1 ? (PhoneNumber(stored: number)?.masked ?? "", accounts) : nil
    }.sorted { $0.accounts.lexicographicallyPrecedes($1.accounts) }
  }
}
