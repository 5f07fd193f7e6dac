extension MigrationPlan {
  /// Reads the whole of a file, which has to be a sound store's database, older or not. Returns its schema.
  func requireStore(_ connection: SQLiteConnection, path: String) throws -> Int {
    try SQLiteDatabase.requireSound(connection, check: "integrity_check", path: path)
    switch try check(connection, path: path) {
    case .empty: throw DatabaseCopyError.empty(path)
    case .older(let found): return found
    case .current: return newest
    }
  }
}
