/// The table of revisions. Data that was never changed has no row.
package enum RevisionRecords {
  /// Gives data another revision; part of every transaction that changes the data.
  ///
  /// It is the time, or the next number: a database that is restored, or fails over to a server that has lost commits,
  /// does not use a number again for other data.
  package static func raise(_ data: CachedData, in transaction: StoreTransaction) throws {
    try transaction.execute(
      """
      INSERT INTO revisions(name, number) VALUES ($1, $2) ON CONFLICT(name) DO UPDATE SET
        number = CASE WHEN excluded.number > revisions.number THEN excluded.number ELSE revisions.number + 1 END
      """, [.text(data.rawValue), .date(transaction.now)])
  }

  /// The revision of some data.
  static func revision(of data: CachedData, in connection: any SQLConnection) throws -> Int64? {
    try connection.row("SELECT number FROM revisions WHERE name = $1", [.text(data.rawValue)])?.integer("number")
  }

  /// All revisions. A later version of the store may have more.
  static func all(in connection: any SQLConnection) throws -> [CachedData: Int64] {
    var all: [CachedData: Int64] = [:]
    for row in try connection.rows("SELECT name, number FROM revisions") {
      guard let data = CachedData(rawValue: try row.text("name")) else { continue }
      all[data] = try row.integer("number")
    }
    return all
  }
}
