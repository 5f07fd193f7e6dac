import StoreBase

/// The table of the used ids of merchants' JWTs, each stored until its JWT has expired.
enum MerchantTokenRecords {
  /// Stores an id as used; false if it was used before. Deletes some of those that have expired.
  static func use(
    _ claims: MerchantToken.Claims, of merchant: String, in transaction: StoreTransaction
  ) throws -> Bool {
    try transaction.deleteSome(
      from: "merchant_token_ids", where: "remembered_until < $1", [.date(transaction.now)],
      key: "merchant_id, id_hash")
    return try transaction.execute(
      """
      INSERT INTO merchant_token_ids(merchant_id, id_hash, remembered_until) VALUES ($1, $2, $3)
      ON CONFLICT(merchant_id, id_hash) DO NOTHING
      """, [.text(merchant), .text(claims.idHash), .date(claims.rememberedUntil)]) == 1
  }
}
