@testable import OnsideStore
@testable import StoreBase

extension Database {
  /// From now on an update of the column fails, as on a disk that is full.
  func refuseUpdates(of column: String, in table: String) async throws {
    try await write { connection in
      if TestDatabase.isPostgres {
        try connection.execute(
          "CREATE FUNCTION refuse_update() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RAISE EXCEPTION ''refused''; END'"
        )
      }
      let refusal =
        TestDatabase.isPostgres
        ? "FOR EACH ROW EXECUTE FUNCTION refuse_update()" : "BEGIN SELECT RAISE(ABORT, 'refused'); END"
      try connection.execute("CREATE TRIGGER refused BEFORE UPDATE OF \(column) ON \(table) \(refusal)")
    }
  }

  /// Updates of the table succeed again.
  func takeUpdates(in table: String) async throws {
    try await write { connection in
      try connection.execute("DROP TRIGGER refused\(TestDatabase.isPostgres ? " ON \(table)" : "")")
    }
  }
}
