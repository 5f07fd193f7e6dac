import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales
@testable import StoreWeb

/// Unpaid orders are bounded, and late money finds its order (STO-16).
@Suite("Floods of unpaid orders", .timeLimit(.minutes(5)))
struct UnpaidOrderTests {
  private static func count(_ store: TestStore) async throws -> Int64? {
    try await store.core.dependencies.database.read {
      try $0.row("SELECT count(*) AS count FROM orders")?.integer("count")
    }
  }

  /// Gives up due orders, and deletes those that have waited long enough.
  private static func sweep(_ store: TestStore) async throws {
    while try await store.core.orders.expireOpenOrders() > 0 {}
    try await store.core.orders.clearUnpaid()
  }

  /// Requires that the one order is deleted 30 days from now, also after another start, and not earlier.
  private static func requireDeletion(in store: TestStore) async throws {
    store.advance(by: .seconds(30 * 86_400 - 1))
    try await store.core.beginCharges()
    try await sweep(store)
    let kept = try await count(store)
    #expect(kept == 1)
    store.advance(by: .seconds(1))
    try await sweep(store)
    let left = try await count(store)
    #expect(left == 0)
  }

  private static func request(_ product: String = "coins") throws -> OrderRequest {
    OrderRequest(productID: product, country: try TestShop.country("NL"), quantity: 1)
  }

  @Test(
    "STO-16: of 400 unpaid orders of one account in an app and a day 200 are made, also if each is cancelled; else all",
    arguments: [(false, true), (true, false), (true, true)])
  func flood(isBounded: Bool, cancels: Bool) async throws {
    let store = try await TestStore { if !isBounded { $0.limits.unpaidOrdersPerAccount = 1_000_000 } }
    try await store.shop { shopper in
      var statuses: [HTTPResponse.Status: Int] = [:]
      var last: TestResponse?
      for _ in 0..<400 {
        store.advance(by: .seconds(1))
        let response = try await shopper.tryOrder(try Self.request(), key: store.freshID())
        statuses[response.status, default: 0] += 1
        if response.status == .created, cancels {
          try await shopper.post("/v1/orders/\(try response.message(OrderMessage.self).id)/cancel")
        }
        last = response
      }
      print("STO-16: 400 unpaid orders of one account, bounded \(isBounded), cancelled \(cancels): \(statuses)")
      guard isBounded else {
        #expect(statuses == [.created: 400])
        return
      }
      #expect(statuses == [.created: 200, .tooManyRequests: 200])
      let problem = try #require(try last?.problem())
      #expect(problem.code == .rateLimited && problem.detail?.contains("200 orders") == true)
      let wait = try #require(last?.headers[.retryAfter].flatMap { Int($0) })
      #expect(wait == 86_400 - 399)
      store.advance(by: .seconds(wait))
      _ = try await shopper.order("coins")
    }
  }

  @Test("STO-16: paid orders do not count, another account or app has its own limit, and a repeated order is answered")
  func limit() async throws {
    let store = try await TestStore { $0.limits.unpaidOrdersPerAccount = 20 }
    try await store.shop { shopper in
      for _ in 0..<25 { try await shopper.buy("coins") }
      let key = store.freshID()
      let first = try await shopper.tryOrder(try Self.request(), key: key)
      for _ in 1..<20 { _ = try await shopper.order("coins") }
      let refused = try await shopper.tryOrder(try Self.request(), key: store.freshID())
      #expect(refused.status == .tooManyRequests)
      let again = try await shopper.tryOrder(try Self.request(), key: key)
      #expect(again.status == .created && again.body == first.body)
      let other = Shopper(
        store: store, client: shopper.client, accountID: try await store.account(), country: "NL")
      _ = try await other.order("coins")
      let customer = Customer(account: shopper.accountID, app: "io.example.tideline")
      try await store.core.dependencies.database.write(at: store.clock.now()) {
        try store.core.orders.checkUnpaidLimit(of: customer, in: $0)
      }
      #expect(store.value(#"onside_orders_refused_total{reason="rate_limited"}"#) == 1)
    }
  }

  @Test("STO-16: orders of an owned product, which cost nothing, count as unpaid")
  func owned() async throws {
    let store = try await TestStore { $0.limits.unpaidOrdersPerAccount = 20 }
    try await store.shop { shopper in
      try await shopper.buy("remove_ads")
      for _ in 0..<20 { _ = try await shopper.order("remove_ads") }
      let refused = try await shopper.tryOrder(try Self.request("remove_ads"), key: store.freshID())
      #expect(refused.status == .tooManyRequests)
    }
  }

  @Test("STO-16: an order without a payment is deleted 30 days after its lifetime, and its key makes a new one")
  func deleted() async throws {
    let store = try await TestStore()
    try await store.core.beginCharges()
    try await store.shop { shopper in
      let key = store.freshID()
      let order = try await shopper.order("coins", key: key)
      let end = Int(store.core.dependencies.configuration.orderLifetime) + 30 * 86_400
      store.advance(by: .seconds(end))
      try await Self.sweep(store)
      let state = try await shopper.order(order.id).state
      #expect(state == .cancelled)
      store.advance(by: .seconds(1))
      try await Self.sweep(store)
      let count = try await Self.count(store)
      #expect(count == 0)
      let gone = try await shopper.get("/v1/orders/\(order.id)")
      #expect(gone.status == .notFound)
      let new = try await shopper.order("coins", key: key)
      #expect(new.state == .open)
      _ = try await shopper.sync()
    }
  }

  @Test("STO-16: an order whose money was asked for stays, whatever became of it; its late money goes back (STO-14)")
  func latePayment() async throws {
    let store = try await TestStore()
    try await store.core.beginCharges()
    try await store.shop { shopper in
      let declined = try await shopper.order("coins")
      try await shopper.pay(declined, with: .declined)
      let waiting = try await shopper.order("coins")
      try await shopper.pay(waiting, with: .secondStep)
      let paid = try await shopper.buy("coins")
      let late = try await shopper.order("coins")
      let reported = try await store.event("declined", payment: "elsewhere", order: late.id, with: shopper.client)
      #expect(reported == .noContent)
      store.advance(by: .seconds(90 * 86_400))
      try await Self.sweep(store)
      let count = try await Self.count(store)
      #expect(count == 4)
      for order in [declined, waiting, late] {
        let state = try await shopper.order(order.id).state
        #expect(state == .cancelled)
        let payment = try #require(try await store.payments(of: order.id).first)
        let status = try await store.event("succeeded", payment: payment, order: order.id, with: shopper.client)
        #expect(status == .noContent)
        let booked = try await store.ledger(order.id).map(\.kind)
        #expect(booked.contains { $0.hasPrefix("surplus") }, "\(order.id)")
      }
      let last = try await shopper.order(paid.id)
      #expect(last.state == .paid)
    }
  }

  @Test("STO-16: nothing is deleted while charges are suspended, nor in the 30 days after it")
  func suspended() async throws {
    let store = try await TestStore()
    try await store.shop { shopper in
      _ = try await shopper.order("coins")
      store.advance(by: .seconds(90 * 86_400))
      try await store.core.suspendCharges()
      try await Self.sweep(store)
      _ = try await store.core.resumeCharges()
      try await Self.requireDeletion(in: store)
    }
  }

  @Test("STO-16: nothing is deleted in the 30 days after the first start of a release that deletes")
  func firstStart() async throws {
    let store = try await TestStore()
    try await store.shop { shopper in
      _ = try await shopper.order("coins")
      store.advance(by: .seconds(90 * 86_400))
      try await store.core.beginCharges()
      try await Self.sweep(store)
      try await Self.requireDeletion(in: store)
    }
  }

  @Test("STO-14: money for an order without a payment that was given up is refunded up to its deletion")
  func lateMoney() async throws {
    let store = try await TestStore()
    try await store.core.beginCharges()
    try await store.shop { shopper in
      let order = try await shopper.order("coins")
      store.advance(by: .seconds(29 * 86_400))
      try await Self.sweep(store)
      let status = try await store.event("succeeded", payment: "late", order: order.id, with: shopper.client)
      #expect(status == .noContent)
      store.advance(by: .seconds(90 * 86_400))
      try await Self.sweep(store)
      let booked = try await store.ledger(order.id).map(\.kind)
      #expect(booked.contains { $0.hasPrefix("surplus") })
      let count = try await Self.count(store)
      #expect(count == 1)
    }
  }
}
