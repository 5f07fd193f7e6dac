import Crypto
import Foundation
import OnsideAPI

/// The login of a browser to the store's own pages. The cookie holds an unguessable name; the table only its hash.
enum WebSessionRecords {
  static let lifetime: TimeInterval = 30 * 86400

  static func insert(_ connection: any SQLConnection, _ token: String, account: AccountID, now: Date) throws {
    try connection.execute("DELETE FROM web_sessions WHERE expires_at < $1", [.date(now)])
    try connection.execute(
      "INSERT INTO web_sessions(id, account_id, created_at, expires_at) VALUES ($1, $2, $3, $4)",
      [.text(token.sha256), .text(account.description), .date(now), .date(now + lifetime)])
  }

  static func account(_ connection: any SQLConnection, _ token: String, now: Date) throws -> Account? {
    let row = try connection.row(
      "SELECT account_id FROM web_sessions WHERE id = $1 AND expires_at > $2", [.text(token.sha256), .date(now)])
    guard let id = try row.flatMap({ AccountID(try $0.text("account_id")) }) else { return nil }
    guard let account = try AccountRecords.account(connection, id: id), !account.isRemoved else { return nil }
    return account
  }

  static func delete(_ connection: any SQLConnection, _ token: String) throws {
    try connection.execute("DELETE FROM web_sessions WHERE id = $1", [.text(token.sha256)])
  }
}

extension String {
  /// SHA-256 of the text in base64url: what the database keeps of a secret that is looked up by itself.
  var sha256: String { Base64URL.encode(Array(SHA256.hash(data: Data(utf8)))) }
}
