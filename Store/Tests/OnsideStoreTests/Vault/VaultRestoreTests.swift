import Foundation
import OnsideAPI
import OnsideVault
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreVault

@Suite("WAL-6: the records of a vault that was put back") struct VaultRestoreTests {
  private let clock = ManualClock()

  /// Records of each number of tries, and one without its key.
  private func records() throws -> [VaultRecord] {
    try (0...VaultRules.tries).map { tries in
      let seed = Array(repeating: UInt8(tries), count: 32)
      let id = try #require(VaultEnrolmentID(Array(seed.prefix(VaultEnrolmentID.length))))
      let key = try #require(VaultKey(seed: seed))
      var record = try #require(VaultRecord(id, deviceKey: seed, key: key, at: clock.now()))
      record.tries = tries
      if tries == VaultRules.tries { (record.key, record.state) = (nil, .destroyed) }
      return record
    }
  }

  @Test("are treated as its rules say, in one statement whatever their number")
  func all() async throws {
    let (store, records) = (try await TestStore(clock: clock), try records())
    let (restored, statements) = try await store.core.dependencies.database.write(at: clock.now()) { transaction in
      for record in records { try VaultRecords.insert(record, in: transaction) }
      let connection = CountedConnection(transaction)
      let count = try VaultRecords.restoreAll(in: StoreTransaction(connection, at: transaction.now))
      return (count, connection.statements)
    }
    #expect(restored == VaultRules.tries)
    #expect(statements == 1)
    for var record in records {
      _ = try record.handle(.restore, at: clock.now())
      let id = record.enrolment
      let actualRecord = try await store.core.dependencies.database.read { try VaultRecords.record(id, in: $0) }
      #expect(actualRecord == record)
    }
  }
}

/// A connection that counts its statements.
private final class CountedConnection: SQLConnection {
  private let base: any SQLConnection
  private(set) var statements = 0

  init(_ base: any SQLConnection) { self.base = base }

  func execute(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> Int {
    statements += 1
    return try base.execute(sql, arguments)
  }

  func rows(_ sql: String, _ arguments: [SQLValue]) throws(StorageError) -> [SQLRow] {
    statements += 1
    return try base.rows(sql, arguments)
  }

  func tableNames() throws(StorageError) -> [String] { try base.tableNames() }

  func databaseIdentity() throws(StorageError) -> String? { try base.databaseIdentity() }
}
