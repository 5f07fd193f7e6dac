extension PostgresSQLConnection {
  /// The names of all tables.
  func tables() throws -> [String] {
    try rows("SELECT table_name::text AS name FROM information_schema.tables WHERE table_schema = current_schema()")
      .map { try $0.text("name") }
  }
}
