import Foundation
import StoreBase

/// The table of used challenges, each kept until it expires.
enum WalletRecords {
  /// Marks a challenge as used; false if it was used before.
  ///
  /// Expired rows are deleted. The latest of their ends is kept under an empty id, and a challenge that ends no later
  /// is refused: a clock that is set back makes no deleted challenge valid again.
  static func use(_ name: String, until end: Date, in transaction: StoreTransaction) throws -> Bool {
    try transaction.execute(
      """
      INSERT INTO wallet_challenges(id, expires_at)
      SELECT '', max(expires_at) FROM wallet_challenges WHERE expires_at < $1 GROUP BY 1
      ON CONFLICT(id) DO UPDATE SET expires_at = excluded.expires_at
      WHERE excluded.expires_at > wallet_challenges.expires_at
      """, [.date(transaction.now)])
    try transaction.deleteSome(
      from: "wallet_challenges", where: "expires_at < $1 AND id <> ''", [.date(transaction.now)])
    return try transaction.execute(
      """
      INSERT INTO wallet_challenges(id, expires_at) SELECT $1, $2
      WHERE NOT EXISTS (SELECT 1 FROM wallet_challenges WHERE id = '' AND expires_at >= $2)
      ON CONFLICT(id) DO NOTHING
      """, [.text(name), .date(end)]) == 1
  }
}
