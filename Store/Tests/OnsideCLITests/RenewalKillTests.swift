import Foundation
import OnsideAPI
import OnsideCommerce
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// Renewals of a store that is killed while it charges them.
@Suite(.timeLimit(.minutes(5))) struct RenewalKillTests {
  /// How many subscriptions are due at once: more than what can be under way when a kill comes.
  private static let count = 200

  private let onside: Program

  init() throws { onside = try Program() }

  @Test(
    "SUB-1: of 200 renewals due at once each is charged once by a store that is killed twice on the way (case 90)",
    arguments: TestEngine.allCases)
  func killedTwice(engine: TestEngine) async throws {
    let (shop, environment) = try await Shop.make(on: engine, in: onside.folder)
    try await shop.subscribe(Self.count)
    let status = try await onside.run("clock", "advance", "31d", environment: environment).status
    #expect(status == 0)
    var charged = 0
    // Behind the commit of the 50th charge, and before that of the 40th of the rest: others are under way beside it.
    for checkpoint in ["payment.afterCommit:50", "payment.beforeCommit:40"] {
      let program = try onside.launch(
        ["serve", "--port", "0"], environment: environment.merging(["ONSIDE_KILL_AT": checkpoint]) { $1 })
      await program.ended()
      #expect(program.status == 128 + SIGKILL, "\(checkpoint) was not reached")
      let now = try await shop.renewals().count { $0.state == "paid" }
      #expect((max(charged, 1)..<Self.count).contains(now), "\(now) are charged after \(charged)")
      charged = now
    }
    // It waits for the end of the leases that the killed process has taken: 15 seconds.
    let (last, _) = try await onside.serve(shop, environment: environment)
    let deadline = NamedDeadline("the renewals that are left")
    while try await shop.renewals().count(where: { $0.state == "paid" }) < Self.count {
      try await deadline.next(in: .seconds(1))
    }
    await last.stopCleanly()
    let renewals = try await shop.renewals()
    #expect(renewals.count == Self.count && Set(renewals.map(\.account)).count == Self.count)
    #expect(renewals.allSatisfy { $0 == Renewal(account: $0.account, state: "paid", payments: 1, succeeded: 1) })
    let books = try await shop.books()
    #expect(books.sales.count == 2 * Self.count && books.sales.values.allSatisfy { $0 == 1 })
    #expect(books.faults == [] && books.integrity == (engine == .sqlite ? "ok" : nil))
  }
}

/// The order of a second period.
private struct Renewal: Hashable, Sendable {
  let account: String
  let state: String
  /// How many payments were begun for it, and how many of them have brought money.
  let payments: Int64
  let succeeded: Int64
}

extension Shop {
  /// Sells a plan to so many accounts, whose cards are kept for it.
  fileprivate func subscribe(_ count: Int) async throws {
    let plan = Product(
      id: "pro", kind: .autoRenewableSubscription, referenceName: "Pro",
      prices: [.netherlands: Money(minorUnits: 999, currency: .eur)],
      subscription: Subscription(groupID: "plans", groupName: "Plans", level: 1, period: .oneMonth))
    try await open { core in
      try await core.catalogue.replace(Catalogue(products: [plan]), of: Shop.app)
      let accounts = (0..<count).map { _ in UUID().uuidString.lowercased() }
      try await core.dependencies.database.write { connection in
        for account in accounts {
          try connection.execute(
            "INSERT INTO accounts(id, country, created_at) VALUES ($1, 'NL', 0)", [.text(account)])
        }
      }
      try await withThrowingTaskGroup(of: Void.self) { tasks in
        for account in accounts { tasks.addTask { try await core.sell(plan.id, to: account) } }
        try await tasks.waitForAll()
      }
    }
  }

  /// The orders of the second periods.
  fileprivate func renewals() async throws -> [Renewal] {
    try await open { core in
      try await core.dependencies.database.read { connection in
        try connection.rows(
          """
          SELECT o.account_id, o.state, count(p.id) AS payments,
            count(CASE WHEN p.state = 'succeeded' THEN 1 END) AS succeeded
          FROM subscription_periods s JOIN orders o ON o.id = s.order_id LEFT JOIN payments p ON p.order_id = o.id
          WHERE s.number = 2 GROUP BY o.id, o.account_id, o.state
          """
        ).map {
          Renewal(
            account: try $0.text("account_id"), state: try $0.text("state"), payments: try $0.integer("payments"),
            succeeded: try $0.integer("succeeded"))
        }
      }
    }
  }
}

extension StoreCore {
  fileprivate func sell(_ plan: String, to account: String) async throws {
    let order = try await orders.create(
      OrderRequest(productID: plan, country: .netherlands), id: UUID(),
      for: Customer(account: account, app: Shop.app))
    let outcome = try await payments.pay(
      orders.json.tokens.token(orderID: order.id),
      with: .offered(SandboxCard.succeeds.rawValue, save: false, keep: true), shownPrice: order.price)
    #expect(outcome == .paid)
  }
}
