import Crypto
import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StoreTestSupport
import Synchronization
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// Renewals of a database that was restored from a backup, or copied.
@Suite("A restored or copied database", .timeLimit(.minutes(5)))
struct RestoredChargeTests {
  @Test("SUB-1: adopts the charge of a period that was made after the backup")
  func restored() async throws {
    let world = try await RestoredWorld()
    let lost = try await world.open(seed: 2) { try await world.renew($0) }
    try world.restore()
    let found = try await world.open(seed: 3) { try await world.renew($0) }
    #expect(found == lost)
    #expect(world.bank.states == [.paid, .paid])
  }

  @Test("an event of a renewal's payment counts for its order, also when it names an order of another copy")
  func eventOfAnotherOrder() async throws {
    let world = try await RestoredWorld()
    try await world.open(seed: 2) { subscriber in
      try await world.renew(subscriber)
      let store = subscriber.shopper.store
      let renewal = try #require(try await subscriber.renewals().first)
      let report = ChargeReport(
        id: try #require(renewal.paymentID), orderID: store.freshID(), amount: renewal.price)
      let account = try await store.core.dependencies.database.write(at: world.clock.now()) {
        try store.core.payments.events.apply(.succeeded(report), from: "bank", in: $0)
      }
      #expect(account == world.account)
    }
  }

  @Test("SUB-1: adopts the second attempt of a period whose first one was declined")
  func secondAttempt() async throws {
    let world = try await RestoredWorld()
    world.bank.giveMandate("md-1", to: "another account")
    let lost = try await world.open(seed: 2) { subscriber in
      try await subscriber.pass(days: 31)
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.open])
      try await world.save("md-2", for: subscriber)
      return try await world.renew(subscriber)
    }
    world.bank.giveMandate("md-1", to: world.account)
    try world.restore()
    let found = try await world.open(seed: 3) { try await world.renew($0) }
    #expect(found == lost)
    #expect(world.bank.states == [.paid, .paid])
  }

  @Test("SUB-1: a copy beside the original makes the same order and payment, and charges nothing twice")
  func beside() async throws {
    let world = try await RestoredWorld()
    let folder = try TemporaryFolder()
    try TestDatabase.putBack(world.backup, in: folder)
    let first = try await world.open(seed: 2) { try await world.renew($0) }
    let second = try await world.open(in: folder, seed: 3) { try await world.renew($0) }
    #expect(first == second)
    let next = try await world.open(seed: 4) { try await world.renew($0, count: 2) }
    let copied = try await world.open(in: folder, seed: 5) { try await world.renew($0, count: 2) }
    #expect(next == copied)
    #expect(world.bank.states == [.paid, .paid, .paid])
  }

  @Test(
    "SUB-1, STO-18: charges of one period before and after a rotation have one order and payment",
    arguments: [false, true])
  func rotation(isLeaked: Bool) async throws {
    let world = try await RestoredWorld()
    let folder = try TemporaryFolder()
    try TestDatabase.putBack(world.backup, in: folder)
    try await world.open(seed: 2) { subscriber in
      let secrets = subscriber.shopper.store.core.secrets
      if isLeaked { try await secrets.replaceLeaked() } else { try await secrets.rotate() }
    }
    world.clock.advance(by: .seconds(StoreSecrets.startDelay))
    let first = try await world.open(seed: 4) { try await world.renew($0) }
    // A process that has not read the rotation, and whose charge is a retry of the first one.
    let second = try await world.open(in: folder, seed: 3) { try await world.renew($0) }
    #expect(first == second)
    #expect(world.bank.states == [.paid, .paid])
  }

  @Test("PAY-8: a copy charges nothing at the end of the period; once charges are resumed, it does")
  func suspended() async throws {
    let world = try await RestoredWorld()
    try await world.open(seed: 2, resumesCharges: false) { subscriber in
      let isSuspended = try await subscriber.shopper.store.core.areChargesSuspended()
      #expect(!isSuspended)
    }
    try world.restore()
    try await world.open(seed: 3, resumesCharges: false) { subscriber in
      let core = subscriber.shopper.store.core
      let isSuspended = try await core.areChargesSuspended()
      #expect(isSuspended)
      try await subscriber.catchUp()
      try await subscriber.pass(days: 31)
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.processing])
      #expect(world.bank.states == [.paid])
      let waiting = try await core.resumeCharges()
      #expect(waiting == [PaymentOutboxKind.renew: 1])
      try await core.deliverOutbox()
      let paid = try await subscriber.renewals().map(\.state.stage)
      #expect(paid == [.paid])
    }
    #expect(world.bank.states == [.paid, .paid])
  }

  /// Restores the backup, and expects an open renewal and no further charge after ten days.
  private func expectNoCharge(afterRestoreOf world: RestoredWorld) async throws {
    try world.restore()
    try await world.open(seed: 3) { subscriber in
      try await subscriber.catchUp()
      try await subscriber.pass(days: 10)
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.open])
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
    #expect(world.bank.states == [.paid, .paid])
  }

  @Test("SUB-1: does not charge a period whose charge was refunded after the backup")
  func refunded() async throws {
    let world = try await RestoredWorld()
    try await world.open(seed: 2) { subscriber in
      try await world.renew(subscriber)
      let renewal = try #require(try await subscriber.renewals().first)
      try await subscriber.shopper.store.core.orders.refund(renewal.id, because: .refund)
      try await subscriber.shopper.store.core.deliverOutbox()
    }
    #expect(world.bank.refunds == [999])
    try await expectNoCharge(afterRestoreOf: world)
  }

  @Test("SUB-1: does not charge a period for which a copy has charged another plan")
  func anotherPlan() async throws {
    let world = try await RestoredWorld()
    _ = try await world.open(seed: 2) { try await world.renew($0) }
    world.bank.relabel(as: "another")
    try await expectNoCharge(afterRestoreOf: world)
  }

  @Test("a derived id depends on time, name, ordinal and key alone, has version 7, and grows with time and ordinal")
  func derived() {
    let random = SeededRandomSource()
    let (ids, others) = (
      DerivedID(key: .init(data: random.bytes(32))), DerivedID(key: .init(data: random.bytes(32)))
    )
    let date = Date(timeIntervalSince1970: 1_780_000_000)
    let all = [
      ids.uuid7(at: date, of: "a", ordinal: 0), ids.uuid7(at: date, of: "a", ordinal: 1),
      ids.uuid7(at: date, of: "a", ordinal: 300), ids.uuid7(at: date + 1, of: "a", ordinal: 0),
    ]
    #expect(all.map(\.lowercase) == all.map(\.lowercase).sorted())
    #expect(all[0] == ids.uuid7(at: date, of: "a", ordinal: 0))
    #expect(all[0] != others.uuid7(at: date, of: "a", ordinal: 0))
    #expect(all[0] != ids.uuid7(at: date, of: "b", ordinal: 0))
    #expect(all.allSatisfy { $0.lowercase.dropFirst(14).first == "7" })
    let free = ids.firstFree(at: date, of: "a") { all.contains($0) }
    #expect(free == ids.uuid7(at: date, of: "a", ordinal: 2))
  }
}

/// A store that is paid through the bank, a subscriber with a mandate, and a backup of the day of the purchase.
private struct RestoredWorld: Sendable {
  let bank: Bank
  let clock = ManualClock()
  let folder: TemporaryFolder
  let backup: String
  let account: String
  private let purchase: OrderID

  init() async throws {
    let bank = Bank(clock: clock)
    self.bank = bank
    let store = try await TestStore(clock: clock, providers: [{ _ in BankPaymentProvider(bank: bank) }])
    folder = store.folder
    let bought = Mutex<(account: String, order: OrderID)?>(nil)
    try await store.shop { shopper in
      bank.giveMandate("md-1", to: shopper.accountID)
      let method = try await Self.save("md-1", of: shopper)
      let order = try await shopper.order("pro")
      let token = try #require(order.paymentURL?.lastPathComponent)
      let outcome = try await store.core.payments.pay(
        token, with: .saved(method, keep: true), shownPrice: order.price.money)
      #expect(outcome == .paid)
      bought.withLock { $0 = (shopper.accountID, order.id) }
      try await store.core.beginCharges()
    }
    let known = bought.withLock { $0 }
    (account, purchase) = try #require(known)
    await store.core.dependencies.database.close()
    backup = try await TestDatabase.copy(of: folder)
  }

  /// Opens a store of the database in a folder, by default that of the original, and resumes the charges of a copy.
  @discardableResult
  func open<Value: Sendable>(
    in folder: TemporaryFolder? = nil, seed: UInt64, resumesCharges: Bool = true,
    _ body: @escaping @Sendable (Subscriber) async throws -> Value
  ) async throws -> Value {
    let store = try await TestStore(
      in: folder ?? self.folder, clock: clock, seed: seed, providers: [{ _ in BankPaymentProvider(bank: bank) }])
    try await store.core.beginCharges()
    if resumesCharges { _ = try await store.core.resumeCharges() }
    let result = Mutex<Value?>(nil)
    try await store.test { client in
      let shopper = Shopper(store: store, client: client, accountID: account, country: "NL")
      let value = try await body(Subscriber(shopper: shopper, purchase: try await shopper.order(purchase)))
      result.withLock { $0 = value }
    }
    await store.core.dependencies.database.close()
    let value = result.withLock { $0 }
    return try #require(value)
  }

  func restore() throws { try TestDatabase.putBack(backup, in: folder) }

  /// Passes a month, or what is left of it, until so many renewals are paid; returns their orders and payments.
  @discardableResult
  func renew(_ subscriber: Subscriber, count: Int = 1) async throws -> [String] {
    let end = try #require(subscriber.purchase.expiresAt)
    try await subscriber.catchUp()
    try await subscriber.pass(to: max(clock.now(), end + Double(count - 1) * 31 * 86_400))
    let renewals = try await subscriber.renewals()
    #expect(renewals.map(\.state.stage) == Array(repeating: .paid, count: count))
    let faults = try await subscriber.faults()
    #expect(faults == [])
    return renewals.map { "\($0.id) \($0.paymentID ?? "-")" }
  }

  func save(_ mandate: String, for subscriber: Subscriber) async throws {
    bank.giveMandate(mandate, to: account)
    let method = try await Self.save(mandate, of: subscriber.shopper)
    #expect(try await subscriber.setMethod(method))
    try await subscriber.shopper.store.core.deliverOutbox()
  }

  /// Saves a mandate of the account; returns the id of the method.
  private static func save(_ mandate: String, of shopper: Shopper) async throws -> String {
    let (id, account) = (shopper.store.freshID().lowercase, shopper.accountID)
    try await shopper.store.core.dependencies.database.write(at: shopper.store.clock.now()) {
      try PaymentMethodRecords.record(BankPaymentProvider.details(mandate), of: "bank", id: id, for: account, in: $0)
    }
    return id
  }
}

extension Bank {
  /// The states of all transfers.
  fileprivate var states: [Charge.State] { allCharges.map(\.state) }
}
