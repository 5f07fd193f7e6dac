import Foundation
import GRDB
import OnsideAPI
import OnsideCommerce
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreStripe

/// Deliveries while charges are suspended, and the identity by which a copy is recognized.
@Suite("Suspended charges", .timeLimit(.minutes(5)))
struct ChargeSuspensionTests {
  private static let now = Date(timeIntervalSince1970: 1_780_000_000)

  private static func waiting(_ kind: String, in store: TestStore) async throws -> Int {
    try await store.core.dependencies.database.read { try OutboxRecords().counts(in: $0)[kind] ?? 0 }
  }

  @Test(
    "PAY-8: while charges are suspended a buyer pays and a refund waits, until a second store of the database resumes them"
  )
  func buyer() async throws {
    try await TestStore().shop { shopper in
      let store = shopper.store
      try await store.core.dependencies.database.write { try ChargeSuspension.begin(in: $0) }
      let subscriber = try await shopper.subscribe()
      try await store.core.orders.refund(subscriber.purchase.id.uuid, because: .refund)
      try await store.core.deliverOutbox()
      let held = try await Self.waiting(PaymentOutboxKind.refund, in: store)
      #expect(held == 1)
      let other = try await TestStore(in: store.folder, clock: store.clock, seed: 2)
      let count = try await other.core.resumeCharges()
      #expect(count?[PaymentOutboxKind.refund] == 1)
      await other.core.dependencies.database.close()
      try await store.core.deliverOutbox()
      let left = try await Self.waiting(PaymentOutboxKind.refund, in: store)
      #expect(left == 0)
    }
  }

  @Test("PAY-8: buyers' payments and their events alone are exempt, with Stripe, too")
  func kinds() async throws {
    #expect(ChargeSuspension.exemptKinds == ["payment.start", "payment.confirm", "payment.notice", "sandbox.event"])
    try await StripeStore.run { world in
      let kinds = Set(world.store.core.outbox.kinds).subtracting(ChargeSuspension.exemptKinds)
      #expect(
        kinds == [
          PaymentOutboxKind.renew, PaymentOutboxKind.cancel, PaymentOutboxKind.refund, PaymentOutboxKind.endSetup,
          PaymentOutboxKind.removeMethod, StripeCustomers.removalKind, SubscriberMessenger.kind,
          AccountNotice.kind,
        ])
    }
  }

  @Test("PAY-8: a second process of a database is not suspended, nor is a database without a recorded identity")
  func secondProcess() async throws {
    let store = try await TestStore()
    let unknown = try await store.core.areChargesSuspended()
    #expect(!unknown)
    try await store.core.beginCharges()
    let second = try await TestStore(in: store.folder, clock: store.clock, seed: 2)
    try await second.core.beginCharges()
    for core in [store.core, second.core] {
      let isSuspended = try await core.areChargesSuspended()
      #expect(!isSuspended)
      let count = try await core.resumeCharges()
      #expect(count == nil)
    }
  }

  @Test("Recording the identity at a start ends no suspension")
  func restart() async throws {
    let store = try await TestStore()
    try await store.core.dependencies.database.write { try ChargeSuspension.begin(in: $0) }
    try await store.core.beginCharges()
    let isSuspended = try await store.core.areChargesSuspended()
    #expect(isSuspended)
  }

  @Test("The identity of a file is that of no copy, also of one in its place, and stays when the file is renamed")
  func file() async throws {
    let folder = try TemporaryFolder()
    let (path, other) = (folder.file("store.db"), folder.file("other.db"))
    func identity(_ path: String) async throws -> String {
      let database = try SQLiteDatabase.open(at: path, now: Self.now)
      let identity = try await database.read { try $0.databaseIdentity() }
      await database.close()
      return try #require(identity)
    }
    let first = try await identity(path)
    let again = try await identity(path)
    #expect(again == first)
    try FileManager.default.moveItem(atPath: path, toPath: other)
    let renamed = try await identity(other)
    #expect(renamed == first)
    try FileManager.default.copyItem(atPath: other, toPath: path)
    try FileManager.default.removeItem(atPath: other)
    let copy = try await identity(path)
    #expect(copy != first)
    try FileManager.default.copyItem(atPath: path, toPath: other)
    let second = try await identity(other)
    #expect(second != first && second != copy)
  }

  @Test("A database in memory is not suspended")
  func memory() throws {
    let isSuspended = try DatabaseQueue().write { database in
      let connection = SQLiteConnection(database: database)
      try connection.execute("CREATE TABLE settings(name TEXT PRIMARY KEY, value TEXT NOT NULL)")
      try ChargeSuspension.record(at: .distantPast, in: connection)
      return try ChargeSuspension.isActive(in: connection)
    }
    #expect(!isSuspended)
  }
}
