/// The table of the applied migrations.
package enum SchemaRecords {
  /// The numbers of the migrations that were applied.
  package static func applied(in connection: any SQLConnection) throws -> Set<Int> {
    Set(try connection.rows("SELECT number FROM schema_migrations").map { Int(try $0.integer("number")) })
  }
}
