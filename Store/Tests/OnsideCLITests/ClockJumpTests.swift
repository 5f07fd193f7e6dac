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

/// A store whose machine's clock jumps by 400 days (faketime, which leaves the time since the start alone).
@Suite(.timeLimit(.minutes(5))) struct ClockJumpTests {
  private let onside: Program

  init() throws { onside = try Program() }

  @Test(
    "STO-17: a jump charges no renewal, ends no session and dates no order; accepted, the clock counts",
    .enabled(if: !MachineClock.live.isSynchronised(), "The kernel reports a synchronised clock, which counts at once."))
  func jump() async throws {
    let shop = try await Shop(onside.folder)
    try await subscribe(shop)
    let environment = try environment()
    try setClock("+0")
    let (store, client) = try await onside.serve(shop, environment: environment)
    defer { store.send(SIGKILL) }
    try setClock("+400d")
    try await until("the jump is shown", environment: environment) { $0.contains("has jumped") }
    // The work of each second has had its turn.
    try await Task.sleep(for: .seconds(3))
    let order = try await client.order(OrderID(UUID()))
    #expect(abs(order.createdAt.timeIntervalSinceNow) < 60)
    let renewed = try await renewals(shop)
    #expect(renewed == 0)
    let doctor = try await onside.run("doctor", environment: environment)
    #expect(doctor.output.contains("has jumped"), "\(doctor.output)")

    try setClock("+0")
    try await until("the clock agrees again", environment: environment) { !$0.contains("has jumped") }
    let state = try await client.get(order.id).state
    #expect(state == .open)

    try setClock("+40d")
    let accepted = try await onside.run("clock", "accept", environment: environment)
    #expect(accepted.status == 0 && accepted.output.contains("accepted"), "\(accepted.errors)")
    let deadline = NamedDeadline("the renewal of the next month")
    while try await renewals(shop) == 0 { try await deadline.next(in: .seconds(1)) }
    await store.stopCleanly()
  }

  private func environment() throws -> [String: String] {
    let library = try #require(
      FileManager.default.subpaths(atPath: "/usr/lib")?.first { $0.hasSuffix("faketime/libfaketimeMT.so.1") },
      "faketime is missing (script/setup)")
    return [
      "LD_PRELOAD": "/usr/lib/\(library)", "FAKETIME_TIMESTAMP_FILE": onside.folder.file("time"),
      "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    ]
  }

  private func setClock(_ text: String) throws { try onside.folder.write("time", text: text + "\n") }

  private func until(
    _ what: String, environment: [String: String], _ isShown: (String) -> Bool
  ) async throws {
    let deadline = NamedDeadline(what)
    while !isShown(try await onside.run("clock", "show", environment: environment).output) {
      try await deadline.next(in: .milliseconds(200))
    }
  }

  /// Sells a monthly plan to the shop's account.
  private func subscribe(_ shop: Shop) async throws {
    try await shop.open { core in
      let plan = Product(
        id: "pro", kind: .autoRenewableSubscription, referenceName: "Pro",
        prices: [.netherlands: Money(minorUnits: 999, currency: .eur)],
        subscription: Subscription(groupID: "plans", groupName: "Plans", level: 1, period: .oneMonth))
      let products = core.catalogue.catalogue(of: Shop.app).products + [plan]
      try await core.catalogue.replace(try Catalogue(products: products), of: Shop.app)
      let order = try await core.orders.create(
        OrderRequest(productID: plan.id, country: .netherlands), id: UUID(),
        for: Customer(account: Shop.account, app: Shop.app))
      let outcome = try await core.payments.pay(
        core.orders.json.tokens.token(orderID: order.id),
        with: .offered(SandboxCard.succeeds.rawValue, save: false, keep: true), shownPrice: order.price)
      #expect(outcome == .paid)
    }
  }

  private func renewals(_ shop: Shop) async throws -> Int64 {
    try await shop.open { core in
      try await core.dependencies.database.read {
        try $0.row("SELECT count(*) AS count FROM subscription_periods WHERE number > 1")?.integer("count") ?? 0
      }
    }
  }
}
