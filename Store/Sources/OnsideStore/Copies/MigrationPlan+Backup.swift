import StoreBase

extension MigrationPlan {
  /// Reads the whole of a file, which has to be a sound store's database, older or not. Returns its schema.
  func requireStore(_ connection: SQLiteConnection, path: String) throws -> Int {
    try SQLiteDatabase.requireSound(connection, check: "integrity_check", path: path)
    let schema = try schema(of: connection, path: path)
    try MovedMark.requireNone(in: connection, path: path)
    return schema
  }
}
