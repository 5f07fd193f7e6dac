#if canImport(PostgresClient)
  import PostgresClient
#endif

extension PostgresURL {
  /// Copies the database into one file, also while stores serve from it. PostgreSQL's `pg_dump` has to be installed.
  public func backUp(to path: String, overwrites: Bool) throws -> DatabaseCopy {
    #if canImport(PostgresClient)
      return try PostgresBackup(of: self).write(to: path, overwrites: overwrites)
    #else
      throw leftOut
    #endif
  }

  /// Puts such a copy into the database, which has to be empty, and lets every device's sync start over.
  public func restore(_ path: String) throws -> DatabaseRestore.Outcome {
    #if canImport(PostgresClient)
      return try PostgresRestore(into: self).put(path)
    #else
      throw leftOut
    #endif
  }

  /// Lets every device's sync start over: for a database that was restored by other means. A store may be serving.
  public func renewCursors() throws {
    #if canImport(PostgresClient)
      try SyncCursors.renew(at: PostgresAddress(text), random: SystemRandom())
    #else
      throw leftOut
    #endif
  }

  #if !canImport(PostgresClient)
    private var leftOut: DatabaseOpenError {
      .unreadable(path: "\(self)", reason: "this program was built without PostgreSQL (ONSIDE_WITHOUT_POSTGRES)")
    }
  #endif
}
