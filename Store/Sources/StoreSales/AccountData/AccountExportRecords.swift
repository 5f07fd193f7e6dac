import OnsideAPI
import StoreAccounts
import StoreBase

/// The rows of an account, for its export.
enum AccountExportRecords {
  static func rows(
    of part: AccountTable, account: AccountID, in connection: any SQLConnection
  ) throws -> [SQLRow] {
    try connection.rows("SELECT * FROM \(part.table) WHERE \(part.condition)", [.text(part.subject(account))])
  }
}
