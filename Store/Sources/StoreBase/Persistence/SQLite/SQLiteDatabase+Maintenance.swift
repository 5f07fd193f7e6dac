import GRDB

extension SQLiteDatabase {
  /// How many pages of the log may be left for the step that blocks the writer: 4 MiB.
  private static let fewPages: Int64 = 1000

  /// Copies the write-ahead log into the file and truncates it. `secure_delete` overwrites the free places of the file.
  ///
  /// Truncation blocks SQLite's one writer. Therefore a connection of its own copies most of the log before, which
  /// blocks no reader or writer. It gives up at once while another connection writes or reads an older snapshot.
  public func clearDeleted() async throws -> Bool {
    var configuration = GRDB.Configuration()
    configuration.busyMode = .immediateError
    do {
      let queue = try DatabaseQueue(path: path, configuration: configuration)
      defer { try? queue.close() }
      for _ in 0..<5 {
        let rest = try await queue.writeWithoutTransaction { try Self.copyLog($0) }
        guard rest <= Self.fewPages else { continue }
        return try await queue.writeWithoutTransaction { try Self.emptyLog($0) }
      }
      return false
    } catch let error as GRDB.DatabaseError where StorageError(error) == .busy {
      return false
    } catch let error as StorageError where error == .busy {
      return false
    }
  }

  /// Copies the pages of the log that no reader's snapshot holds back. Returns how many pages are left.
  private static func copyLog(_ database: GRDB.Database) throws -> Int64 {
    guard let row = try SQLiteConnection(database: database).row("PRAGMA wal_checkpoint(PASSIVE)") else { return 0 }
    return try row.integer("log") - row.integer("checkpointed")
  }

  /// Copies the rest and truncates the log's file; false when a reader or writer was using it.
  private static func emptyLog(_ database: GRDB.Database) throws -> Bool {
    try SQLiteConnection(database: database).row("PRAGMA wal_checkpoint(TRUNCATE)")?.integer("busy") == 0
  }

  /// Checks the integrity of a file that was too large for the check at its opening, table by table. Each table is a
  /// read transaction of its own, so that the log can be truncated in between.
  public func damage() async throws -> String? {
    let finding = isChecked ? nil : try await damageOfTables()
    if let finding { condition.note(StorageError.damaged(finding)) }
    return finding
  }

  private func damageOfTables() async throws -> String? {
    let queue = try Self.reader(path)
    defer { try? queue.close() }
    do {
      let tables = try await queue.read { try SQLiteConnection(database: $0).tableNames() }
      for table in tables {
        let finding = try await queue.read { database in
          try SQLiteConnection(database: database).row("PRAGMA quick_check('\(table)')")?.text("quick_check")
        }
        if let finding, finding != "ok" { return "\(table): \(finding)" }
      }
      return nil
    } catch {
      guard case .damaged(let finding) = StorageError(error) else { throw error }
      return finding
    }
  }
}
