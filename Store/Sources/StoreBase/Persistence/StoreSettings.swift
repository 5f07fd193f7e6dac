/// Values of the store that outlive a restart and have no table of their own.
package struct StoreSettings {
  package let connection: any SQLConnection

  package init(connection: any SQLConnection) {
    self.connection = connection
  }

  /// The value of a name, or nil.
  package func value(_ name: String) throws(StorageError) -> String? {
    try connection.row("SELECT value FROM settings WHERE name = $1", [.text(name)])?.text("value")
  }

  /// Sets a value.
  package func set(_ name: String, to value: String) throws(StorageError) {
    try connection.execute(
      "INSERT INTO settings(name, value) VALUES ($1, $2) ON CONFLICT(name) DO UPDATE SET value = excluded.value",
      [.text(name), .text(value)])
  }

  /// Removes a value, if it is there.
  package func remove(_ name: String) throws(StorageError) {
    try connection.execute("DELETE FROM settings WHERE name = $1", [.text(name)])
  }

  /// The value of a name; the first caller's value wins when there is none yet.
  package func value(_ name: String, orSet value: String) throws(StorageError) -> String {
    try connection.execute(
      "INSERT INTO settings(name, value) VALUES ($1, $2) ON CONFLICT(name) DO NOTHING", [.text(name), .text(value)])
    return try self.value(name) ?? value
  }
}

extension Migration {
  /// Values of the store that outlive a restart: the permanent secret, the offset of the sandbox clock.
  static let settings = [
    Migration(
      1, name: "settings", sql: "CREATE TABLE settings(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;",
      postgres: """
        CREATE TABLE settings(name TEXT COLLATE "C" PRIMARY KEY, value TEXT COLLATE "C" NOT NULL);
        """)
  ]
}
