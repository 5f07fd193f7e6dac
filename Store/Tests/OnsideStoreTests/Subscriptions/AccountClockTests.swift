import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import OnsideVerify
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// One tester lives ahead of the store, and of everybody else.
@Suite("A tester's clock", .timeLimit(.minutes(5)))
struct AccountClockTests {
  private static let year: TimeInterval = 365 * 86_400

  @Test("SUB-13: an account lives through a year, its renewals paid in their order and at their moments; another stays")
  func year() async throws {
    try await TestStore().shop { shopper in
      let (moved, stays) = (try await shopper.subscribe(), try await shopper.beside().subscribe())
      let start = try #require(moved.purchase.paidAt)
      let before = try await shopper.sync().cursor
      let standing = try await shopper.clock.advance(by: Self.year)
      #expect(standing.now == start + Self.year && standing.millisecondsAhead == 31_536_000_000)
      let renewals = try await moved.renewals()
      #expect(renewals.count == 12)
      #expect(renewals.map(\.paidAt) == (1...12).map { Period.oneMonth.adding(to: start, times: $0) - 3600 })
      #expect(renewals.map(\.createdAt) == renewals.map(\.paidAt))
      #expect(renewals.map(\.expiresAt) == (2...13).map { Period.oneMonth.adding(to: start, times: $0) })
      let told = try await shopper.sync(before).orders
      #expect(told.map(\.id.uuid) == renewals.map(\.id), "a device hears of them in their order")
      #expect(told.allSatisfy { $0.reason == .renewal && $0.state == .paid })
      let actualRenewals = try await stays.renewals()
      #expect(actualRenewals.isEmpty)
      try await shopper.store.core.subscriptions.passTime()
      try await shopper.store.core.deliverOutbox()
      let secondRenewals = try await stays.renewals()
      #expect(secondRenewals.isEmpty)
      let renewalCount = try await moved.renewals().count
      #expect(renewalCount == 12)
      let faults = try await moved.faults()
      #expect(faults == [])
    }
  }

  @Test(
    "SUB-13: history, entitlements, subscriptions and restore are at the account's time, and another's at the store's")
  func reads() async throws {
    try await TestStore().shop { shopper in
      let (moved, other) = (try await shopper.subscribe(), try await shopper.beside())
      _ = try await other.subscribe()
      let now = shopper.store.clock.now()
      try await shopper.clock.advance(by: Self.year)
      let last = try #require(try await moved.renewals().last)
      let list = try await shopper.entitlements()
      #expect(list.issuedAt == now + Self.year && list.validUntil == list.issuedAt + EntitlementList.lifetime)
      #expect(
        list.entitlements.map(\.orderID) == [last.id]
          && list.entitlements.map { $0.isActive(at: list.issuedAt) } == [true])
      let issuedAt = try await other.entitlements().issuedAt
      #expect(issuedAt == now)
      let history = try await shopper.verify(try await shopper.history()).transactions
      #expect(history.count == 13 && history.allSatisfy { $0.fetchedAt == now + Self.year })
      let fetchedTimes = try await other.verify(try await other.history()).transactions.map(\.fetchedAt)
      #expect(fetchedTimes == [now])
      let uuids = try await shopper.restorable().map(\.id.uuid)
      #expect(uuids == [last.id])
      let orders = try await shopper.sync().orders
      #expect(orders.contains { $0.id.uuid == last.id })
      let again = try await shopper.order("pro")
      #expect(again.duplicateOf?.uuid == last.id && again.createdAt == now + Self.year)
    }
  }

  @Test("SUB-13: a refused card falls into grace, is tried every three days and ends, all on the way")
  func refused() async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe()
      let end = try #require(subscriber.purchase.expiresAt)
      try await shopper.replaceCards(by: .declined)
      try await shopper.clock.advance(by: end.timeIntervalSince(shopper.store.clock.now()) + 86_400)
      let stage = try await subscriber.machine().stage
      #expect(stage == .grace)
      let list = try await shopper.entitlements()
      #expect(list.entitlements.map { $0.isActive(at: list.issuedAt) } == [true])
      try await shopper.clock.advance(by: 16 * 86_400)
      let secondStage = try await subscriber.machine().stage
      #expect(secondStage == .retry)
      try await shopper.clock.advance(by: 60 * 86_400)
      let thirdStage = try await subscriber.machine().stage
      #expect(thirdStage == .expired(.billingError))
      let renewal = try #require(try await subscriber.renewals().first)
      #expect(renewal.state.stage == .cancelled)
      let tries = try await shopper.store.core.dependencies.database.read { [renewal] in
        try $0.rows(
          "SELECT created_at FROM payments WHERE order_id = $1 ORDER BY created_at", [.text(renewal.id.lowercase)]
        ).map { try $0.date("created_at") }
      }
      #expect(tries.count == 21 && tries.first == end - 3600)
      #expect(zip(tries.dropFirst(), tries.dropFirst(2)).allSatisfy { $1.timeIntervalSince($0) == 3 * 86_400 })
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test(
    "SUB-13: an account that is ahead renews at its own moments when the store's time goes on, and others at theirs")
  func goesOn() async throws {
    try await TestStore().shop { shopper in
      let (moved, stays) = (try await shopper.subscribe(), try await shopper.beside().subscribe())
      let start = try #require(moved.purchase.paidAt)
      try await shopper.clock.advance(by: 45 * 86_400)
      for _ in 0..<32 {
        shopper.store.advance(by: .seconds(86_400))
        try await shopper.store.core.subscriptions.passTime()
        try await shopper.store.core.deliverOutbox()
      }
      let renewalCount = try await moved.renewals().count
      #expect(renewalCount == 2)
      let secondRenewalCount = try await stays.renewals().count
      #expect(secondRenewalCount == 1)
      let second = try #require(try await moved.renewals().last?.paidAt)
      let due = Period.oneMonth.adding(to: start, times: 2) - 3600
      #expect((0..<86_400).contains(second.timeIntervalSince(due)))
      // What the store's clock was moved by has moved the account, too.
      let now = try await shopper.clock.standing().now
      #expect(now == start + 77 * 86_400)
    }
  }

  @Test(
    "SUB-13: a payment that its provider has not settled is not overtaken; the account stands there, and goes on later")
  func openCharge() async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe()
      let end = try #require(subscriber.purchase.expiresAt)
      try await shopper.replaceCards(by: .settlesLater)
      await #expect {
        try await shopper.clock.advance(by: 100 * 86_400, patience: .zero)
      } throws: { error in
        guard case SandboxClockError.chargeIsOpen(_, _, let date, let left) = error else { return false }
        let moved = (end - 3600).timeIntervalSince(shopper.store.clock.now())
        return date == end - 3600 && left == Int(100 * 86_400 - moved)
      }
      let now = try await shopper.clock.standing().now
      #expect(now == end - 3600)
      let stages = try await subscriber.renewals().map(\.state.stage)
      #expect(stages == [.processing])
      try await shopper.store.settle()
      try await shopper.replaceCards(by: .succeeds)
      try await shopper.clock.advance(by: 60 * 86_400, patience: .zero)
      let secondStages = try await subscriber.renewals().map(\.state.stage)
      #expect(secondStages == [.paid, .paid])
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }

  @Test("SUB-13: a move that fails says where the account stands, and how much of the move is left")
  func interrupted() async throws {
    try await TestStore().shop { shopper in
      _ = try await shopper.subscribe()
      let (start, database) = (shopper.store.clock.now(), shopper.store.core.dependencies.database)
      try await shopper.clock.advance(by: 20 * 86_400)
      try await database.refuseUpdates(of: "machine", in: "subscriptions")
      let failure = await #expect(throws: SandboxClockError.self) { try await shopper.clock.advance(by: 31 * 86_400) }
      guard case .interrupted(let account, let date, let left, _) = try #require(failure) else {
        Issue.record("\(String(describing: failure))")
        return
      }
      #expect(date == start + 20 * 86_400 && left == 31 * 86_400)
      #expect(failure?.description.contains("`onside clock advance 2678400s --account \(account)`") == true)
      try await database.takeUpdates(in: "subscriptions")
      let now = try await shopper.clock.advance(by: Double(left)).now
      #expect(now == start + 51 * 86_400)
    }
  }

  @Test("SUB-13: of two moves of an account at a time one goes on, and the other says so")
  func twoMoves() async throws {
    try await TestStore().shop { shopper in
      _ = try await shopper.subscribe()
      try await shopper.replaceCards(by: .settlesLater)
      // The test's clock goes far ahead of the provider's answer on a busy machine.
      let first = Task { try await shopper.clock.advance(by: 100 * 86_400, patience: .seconds(86_400)) }
      let processing = NamedDeadline("the first move to wait for its payment")
      while try await shopper.clock.standing().millisecondsAhead == 0 { try await processing.next() }
      try await shopper.store.core.dependencies.database.write(at: shopper.store.clock.now()) {
        try AccountRecords.setAhead(of: shopper.accountID, milliseconds: 40 * 86_400_000, in: $0)
      }
      await withTaskGroup(of: Void.self) { group in
        group.addTask {
          while !Task.isCancelled {
            shopper.store.advance(by: .seconds(1))
            try? await Task.sleep(for: .milliseconds(1))
          }
        }
        await #expect(throws: SandboxClockError.movedMeanwhile) { try await first.value }
        group.cancelAll()
      }
    }
  }

  @Test("SUB-13: an unpaid order of an account that is ahead expires by the account's time")
  func unpaidOrder() async throws {
    try await TestStore().shop { shopper in
      let core = shopper.store.core
      let lifetime = core.dependencies.configuration.orderLifetime
      try await shopper.clock.advance(by: Self.year)
      let order = try await shopper.order("coins")
      let expired = try await core.orders.expireOpenOrders()
      #expect(expired == 0)
      shopper.store.advance(by: .seconds(lifetime))
      let secondExpired = try await core.orders.expireOpenOrders()
      #expect(secondExpired == 1)
      let state = try await shopper.order(order.id).state
      #expect(state == .cancelled)
      let next = try await shopper.order("coins")
      try await shopper.clock.advance(by: lifetime + 1)
      let secondState = try await shopper.order(next.id).state
      #expect(secondState == .cancelled)
    }
  }

  @Test("SUB-13: a consumable's delivery lease lasts as long for an account that is ahead")
  func lease() async throws {
    try await TestStore().shop { shopper in
      var (phone, tablet) = (shopper, shopper)
      (phone.device, tablet.device) = (UUID(), UUID())
      try await shopper.clock.advance(by: Self.year)
      let coins = try await phone.buy("coins")
      #expect(coins.delivery?.holder == .here)
      let elsewhere = try await tablet.order(coins.id).delivery
      let lifetime = Int(shopper.store.core.dependencies.configuration.deliveryLease)
      #expect(elsewhere?.holder == .elsewhere && elsewhere?.seconds == lifetime)
      let seconds = try await tablet.sync().orders.first?.delivery?.seconds
      #expect(seconds == lifetime)
      shopper.store.advance(by: .seconds(lifetime + 1))
      let holder = try await tablet.claim(coins.id).delivery?.holder
      #expect(holder == .here)
    }
  }

  @Test("SUB-13: what no account's clock does: going back, too far at once, a production store's, nobody's")
  func refusals() async throws {
    try await TestStore().shop { shopper in
      let core = shopper.store.core
      await #expect(throws: SandboxClockError.backwards) { try await shopper.clock.advance(by: -1) }
      await #expect(throws: SandboxClockError.tooFar) { try await shopper.clock.advance(by: 4 * Self.year) }
      let nobody = try #require(AccountID("01935b6c-1d2e-7f3a-8b4c-5d6e7f8a9b0c"))
      await #expect(throws: SandboxClockError.unknownAccount(nobody.description)) {
        try await core.clock(of: nobody).advance(by: 1)
      }
      try await shopper.clock.advance(by: 86_400)
      try await shopper.clock.reset()
      let millisecondsAhead = try await shopper.clock.standing().millisecondsAhead
      #expect(millisecondsAhead == 0)
      try await shopper.clock.advance(by: 86_400)
      _ = try await shopper.order("coins")
      await #expect(throws: SandboxClockError.accountHasOrders) { try await shopper.clock.reset() }
      let account = try #require(AccountID(shopper.accountID))
      let document = String(decoding: try await core.accountExport.document(of: account), as: UTF8.self)
      #expect(document.contains("\"ahead_ms\" : 86400000"))
      try await core.accounts.remove(account)
      await #expect(throws: SandboxClockError.unknownAccount(account.description)) {
        try await shopper.clock.advance(by: 1)
      }
    }
    let production = try await TestStore { $0.environment = .production }
    let account = try #require(AccountID(try await production.account()))
    await #expect(throws: SandboxClockError.notASandbox) {
      try await production.core.clock(of: account).advance(by: 1)
    }
  }

  @Test("SUB-13: another process of the store has the account's time at once", arguments: TestEngine.allCases)
  func twoProcesses(engine: TestEngine) async throws {
    let folder = try TemporaryFolder()
    let here = try await TestStore(in: folder, database: engine.open(in: folder))
    let there = try await TestStore(in: folder, clock: here.clock, seed: 2, database: engine.open(in: folder))
    try await here.shop { shopper in
      let subscriber = try await shopper.subscribe()
      try await there.core.caches.readAll()
      try await shopper.clock.advance(by: 40 * 86_400)
      let now = here.clock.now()
      let actualNow = try await there.core.dependencies.base.now(of: shopper.accountID)
      #expect(actualNow == now + 40 * 86_400)
      let account = try #require(AccountID(shopper.accountID))
      try await there.core.clock(of: account).advance(by: 30 * 86_400)
      let renewalCount = try await subscriber.renewals().count
      #expect(renewalCount == 2)
      let secondNow = try await shopper.clock.standing().now
      #expect(secondNow == now + 70 * 86_400)
    }
    await there.core.dependencies.database.close()
  }
}

extension Shopper {
  /// The clock of the account.
  var clock: AccountClock {
    get throws { store.core.clock(of: try #require(AccountID(accountID))) }
  }

  /// Another account of the store.
  func beside() async throws -> Shopper {
    Shopper(store: store, client: client, accountID: try await store.account(country: country), country: country)
  }

  fileprivate func keys() async throws -> JSONWebKeySet {
    try JSONWebKeySet(jwks: Data(String(buffer: try await get("/.well-known/jwks.json").body).utf8))
  }

  /// The account's signed list of entitlements, verified.
  fileprivate func entitlements() async throws -> EntitlementList {
    let answer = String(buffer: try await get("/v1/entitlements").body)
    let payload = try await keys().payload(of: answer, type: EntitlementList.type)
    return try TransactionHistory.decoder.decode(EntitlementList.self, from: payload)
  }
}
