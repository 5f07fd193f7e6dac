import Foundation
import OnsideCommerce
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreSales

@Suite("Failed refunds of a database of schema 324", .timeLimit(.minutes(5)))
struct OwedMigrationTests {
  @Test(
    "PAY-4: of the failed refunds of an earlier version, those without a later one of the same amount are owed",
    arguments: TestEngine.allCases)
  func replacements(engine: TestEngine) async throws {
    let folder = try TemporaryFolder()
    let old = try await engine.open(in: folder, OlderStore.migrations(upTo: 324))
    let order = "0193f0a2-5c7b-7abc-8def-0123456789ab"
    let rows: [(id: String, amount: Int64, origin: String, state: String, asked: Int64, ended: Int64)] = [
      ("repeated", 30, "operator", "failed", 1, 2), ("repetition", 30, "operator", "settled", 3, 4),
      ("owed", 20, "plan change", "failed", 1, 9), ("earlier", 20, "operator", "settled", 2, 3),
      ("bank", 10, "bank", "failed", 4, 5),
      ("failed twice", 40, "operator", "failed", 1, 2), ("second failure", 40, "operator", "failed", 3, 4),
    ]
    try await old.write { connection in
      for row in rows {
        try connection.execute(
          """
          INSERT INTO refunds(id, order_id, payment_id, amount, currency, is_surplus, reason, origin, state, asked_at,
            ended_at)
          VALUES ($1, $2, 'p', $3, 'EUR', 0, 'REFUND', $4, $5, $6, $7)
          """,
          [
            .text(row.id), .text(order), .integer(row.amount), .text(row.origin), .text(row.state), .integer(row.asked),
            .integer(row.ended),
          ])
      }
      try connection.execute(
        """
        INSERT INTO payments(id, order_id, provider, method, amount, currency, state, step, created_at)
        VALUES ('p', $1, 'sandbox', 'approved', 999, 'EUR', 'succeeded', 1, 0)
        """, [.text(order)])
    }
    await old.close()
    let database = try await engine.open(in: folder, Migration.all)
    let (owed, replacement) = try await database.read { connection in
      (try RefundRecords.owed(in: connection), try RefundRecords.refund("repeated", in: connection)?.replacedBy)
    }
    #expect(owed.map(\.refund.id) == ["owed", "second failure"])
    #expect(owed.map(\.amount.minorUnits) == [20, 40])
    #expect(replacement == "repetition")
    await database.close()
  }
}
