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
