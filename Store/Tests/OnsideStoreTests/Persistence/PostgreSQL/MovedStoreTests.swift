import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreVault

/// A store goes on in PostgreSQL where its file ended.
@Suite("A store that was moved", .timeLimit(.minutes(5)))
struct MovedStoreTests {
  /// What apps and wallets hold of the store before it is moved.
  private struct Held: Sendable {
    let tokens: TokenMessage
    let cursor: String
    let orders: Set<OrderID>
    let pending: OrderMessage
    let history: String
    let balances: [String: Int64]
    let pinOutput: [UInt8]
    let triesRemaining: Int
  }

  /// Fills the store, and returns what its apps hold.
  private func fill(_ login: LoginStore, wallet: WalletDevice) async throws -> Held {
    let store = login.store
    try await store.core.catalogue.replace(try TestShop.catalogue(), of: TestShop.app.id)
    let tokens = try await fromClient(store) { try await login.tokens($0) }
    let (orders, pending, cursor, history) = try await fromShopper(store, tokens) { shopper in
      let paid = try await shopper.buy("coins", token: "user-1")
      let finished = try await shopper.buy("coins")
      let outcome = try await shopper.finish(finished.id)
      #expect(outcome == .noContent)
      let declined = try await shopper.order("coins")
      let secondOutcome = try await shopper.pay(declined, with: .declined)
      #expect(secondOutcome == .declined)
      let refunded = try await shopper.buy("season")
      try await store.core.orders.refund(refunded.id.uuid, because: .support)
      try await store.settle()
      let cancelled = try await shopper.order("coins")
      let status = try await shopper.post("/v1/orders/\(cancelled.id)/cancel").status
      #expect(status == .ok)
      let pending = try await shopper.order("remove_ads")
      let thirdOutcome = try await shopper.pay(pending, with: .settlesLater)
      #expect(thirdOutcome == .pending)
      let orders = Set([paid, finished, declined, refunded, cancelled, pending].map(\.id))
      return (orders, pending, try await shopper.sync().cursor, try await shopper.history())
    }
    try await wallet.signUp()
    let output = try await wallet.evaluate()
    try await wallet.evaluate("0000")
    return Held(
      tokens: tokens, cursor: cursor, orders: orders, pending: pending, history: history,
      balances: try await store.balances(), pinOutput: output,
      triesRemaining: try await wallet.state().triesRemaining)
  }

  private func fromClient<T: Sendable>(
    _ store: TestStore, _ body: @escaping @Sendable (any TestClientProtocol) async throws -> T
  ) async throws -> T {
    let (results, yields) = AsyncStream.makeStream(of: T.self)
    try await store.test { yields.yield(try await body($0)) }
    yields.finish()
    var result: T?
    for await value in results { result = value }
    return try #require(result)
  }

  private func fromShopper<T: Sendable>(
    _ store: TestStore, _ tokens: TokenMessage, _ body: @escaping @Sendable (Shopper) async throws -> T
  ) async throws -> T {
    try await fromClient(store) { client in
      try await body(
        Shopper(store: store, client: client, accountID: store.account(of: tokens).description, country: "NL"))
    }
  }

  @Test("STO-8, QUE-16: sessions, cursors, orders, signatures, books and the vault go on where they were")
  func goesOn() async throws {
    let fixture = try await MoveFixture()
    let (clock, guardPath) = (ManualClock(), fixture.folder.file("vault-guard"))
    let before = try await LoginStore(in: fixture.folder, clock: clock) { $0.vault.guardPath = guardPath }
    let wallet = WalletDevice(store: before.store.core, seed: 1)
    let held = try await fill(before, wallet: wallet)
    await before.store.core.dependencies.database.close()
    try await fixture.move()

    let database = try await fixture.target.open(Migration.all, now: clock.now())
    let store = try await TestStore(in: fixture.folder, clock: clock, seed: 2, database: database) {
      $0.vault.guardPath = guardPath
    }
    let faults = try await database.read { try Reconciliation($0).faults() }
    #expect(faults == [])
    let balances = try await store.balances()
    #expect(balances == held.balances)
    try await followSession(held, store)
    try await followOrders(held, store)
    let moved = wallet.with(store.core)
    let triesRemaining = try await moved.state().triesRemaining
    #expect(triesRemaining == held.triesRemaining)
    #expect(try await store.core.isVaultCurrent(), "the guard file does not take the move for a restore")
    clock.advance(by: .seconds(8 * 3600))
    let value = try await moved.evaluate()
    #expect(value == held.pinOutput)
    await database.close()
  }

  private func followSession(_ held: Held, _ store: TestStore) async throws {
    let status = try await fromClient(store) { client in
      let account = try await client.execute(
        uri: "/v1/account", method: .get, headers: [.authorization: "Bearer \(held.tokens.accessToken)"])
      let refresh = LoginStore.refresh(held.tokens.refreshToken)
      return [account.status, try await LoginStore.token(client, parameters: refresh).status]
    }
    #expect(status == [.ok, .ok])
  }

  /// The old cursor has missed nothing, and gets what happens now, once.
  private func followOrders(_ held: Held, _ store: TestStore) async throws {
    try await fromShopper(store, held.tokens) { shopper in
      let orders = try await shopper.sync(held.cursor).orders
      #expect(orders.isEmpty)
      let before = try await shopper.verify(held.history).transactions
      let after = try await shopper.verify(shopper.history()).transactions
      #expect(before == after)
      // The outbox goes on with what the provider has not told yet.
      try await store.settle()
      let settled = try await shopper.sync(held.cursor)
      #expect(!settled.startsOver && settled.orders.map(\.id) == [held.pending.id])
      #expect(settled.orders.first?.state == .paid)
      let bought = try await shopper.buy("coins")
      let ids = try await shopper.sync(settled.cursor).orders.map(\.id)
      #expect(ids == [bought.id])
      for id in held.orders {
        let actualID = try await shopper.order(id).id
        #expect(actualID == id)
      }
    }
    let faults = try await store.core.dependencies.database.read { try Reconciliation($0).faults() }
    #expect(faults == [])
  }
}
