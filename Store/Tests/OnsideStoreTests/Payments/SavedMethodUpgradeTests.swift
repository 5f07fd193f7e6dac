import Foundation
import OnsideAPI
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

@Suite("A database from before there were several payment providers", .timeLimit(.minutes(5)))
struct SavedMethodUpgradeTests {
  private let clock = ManualClock()

  @Test(
    "Its saved test cards are saved methods of the sandbox, and its waiting calls go to the sandbox",
    arguments: TestEngine.allCases)
  func forward(engine: TestEngine) async throws {
    let folder = try TemporaryFolder()
    let source = try SQLiteDatabase.open(at: folder.file("store.db"), now: clock.now())
    let store = try await TestStore(in: folder, clock: clock, database: source)
    let account = try await store.account()
    // Cards that came later were never saved in such a database.
    let cards = SandboxCard.allCases.filter { $0 != .disputeWon && $0 != .disputeLost }
    for card in cards {
      clock.advance(by: .seconds(1))
      try await store.save(card, of: account)
    }
    let methods = try await store.core.payments.methods(of: account)
    #expect(methods.count == cards.count)
    let waiting = #"{"amount":99,"currency":"EUR","id":"p","method":"succeeds","orderID":"o","step":2}"#
    try await source.write(at: clock.now()) { [clock] transaction in
      for kind in [PaymentOutboxKind.start, PaymentOutboxKind.refund] {
        try OutboxRecords().add(kind, payload: waiting, due: clock.now(), in: transaction)
      }
    }
    let older = try await OlderStore(engine, schema: 199, dataOf: source)
    let database = try await older.open()
    let found = try await database.read { try PaymentMethodRecords.saved(of: account, in: $0) }
    #expect(found == methods)
    let payloads = try await database.read { connection in
      try connection.rows("SELECT payload FROM outbox ORDER BY id").map { try $0.text("payload") }
    }
    let charge: ChargeRequest = try OutboxPayload.value(try #require(payloads.first))
    #expect(charge.provider == "sandbox" && charge.environment == .sandbox && charge.step == 2)
    let refund: RefundRequest = try OutboxPayload.value(try #require(payloads.last))
    #expect(refund.provider == "sandbox" && refund.chargeID == "p" && refund.amount == 99)
    await database.close()
    await source.close()
  }
}
