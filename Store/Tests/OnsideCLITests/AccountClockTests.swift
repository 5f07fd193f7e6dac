import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideStore
import StoreBase
import StoreSales
import StoreTestSupport
import Testing

/// The clock of one account, as a developer moves it.
@Suite(.timeLimit(.minutes(5))) struct AccountClockTests {
  private let onside: Program

  init() throws { onside = try Program() }

  /// A shop whose only product is a monthly plan.
  private func shop(_ location: DatabaseLocation? = nil, environment: [String: String] = [:]) async throws -> Shop {
    let shop = try await Shop(onside.folder, database: location)
    try onside.folder.write(
      "plan.storekit",
      text: """
        {
          "products": [],
          "settings": { "_storefront": "NLD" },
          "subscriptionGroups": [{ "id": "plans", "name": "Plans", "subscriptions": [
            { "productID": "gold", "displayPrice": "3.99", "recurringSubscriptionPeriod": "P1M", "groupNumber": 1,
              "referenceName": "Gold", "localizations": [] }
          ] }],
          "version": { "major": 4, "minor": 0 }
        }
        """)
    let imported = try await onside.run("import", "plan.storekit", "--app", Shop.app, environment: environment)
    try #require(imported.status == 0, "\(imported.errors)")
    return shop
  }

  private func advance(_ distance: String, environment: [String: String] = [:]) async throws -> Program.Outcome {
    try await onside.run("clock", "advance", distance, "--account", Shop.account, environment: environment)
  }

  @Test("SUB-13: an account is moved, shown and set back; the store's clock and nobody's account are not")
  func moved() async throws {
    _ = try await shop()
    let moved = try await advance("31d")
    #expect(moved.status == 0 && moved.output.contains("ahead by 31d"), "\(moved.errors)")
    let output = try await onside.run("clock", "show").output
    #expect(output.contains("the machine's time"))
    let secondOutput = try await onside.run("clock", "show", "--account", Shop.account).output
    #expect(secondOutput.contains("ahead by 31d"))
    let reset = try await onside.run("clock", "reset", "--account", Shop.account)
    #expect(reset.output.contains("the store's time"))
    let nobody = try await onside.run("clock", "advance", "1d", "--account", "me")
    #expect(nobody.status == 1 && nobody.errors.contains("got \"me\""))
    let far = try await advance("300w")
    #expect(far.status == 1 && far.errors.contains("three years at most"))
  }

  @Test(
    "SUB-13: a move that is killed leaves an account that has lived until then; another one goes on, and charges once",
    arguments: ["payment.beforeCommit", "payment.afterCommit"], TestEngine.allCases)
  func killed(checkpoint: String, engine: TestEngine) async throws {
    var (location, environment): (DatabaseLocation?, [String: String]) = (nil, [:])
    if engine == .postgres {
      let server = try await SharedPostgresServer.server
      let url = server.url(try await server.makeDatabase())
      let made = try #require(DatabaseLocation(url))
      (location, environment) = (made, ["ONSIDE_DATABASE": url])
    }
    let shop = try await shop(location, environment: environment)
    let (store, client) = try await onside.serve(shop, environment: environment)
    let id = OrderID(UUID())
    _ = try await client.order(id)
    try await client.pay(id)
    let end = try #require(try await client.get(id).expiresAt)
    await store.stopCleanly()

    var dying = environment
    dying["ONSIDE_KILL_AT"] = checkpoint
    let status = try await advance("100d", environment: dying).status
    #expect(status != 0)
    let shown = try await onside.run("clock", "show", "--account", Shop.account, environment: environment).output
    let stands = try Date(String(shown.prefix(20)), strategy: .iso8601)
    #expect((-1..<300).contains(stands.timeIntervalSince(end - 3600)), "\(shown)")
    // Until the lease of the process that died is over.
    let deadline = NamedDeadline("another process to go on")
    var outcome = try await advance("70d", environment: environment)
    while outcome.status != 0 {
      try await deadline.next(in: .seconds(1))
      outcome = try await advance("70d", environment: environment)
    }
    let books = try await shop.books()
    #expect(books.orders.count == 4 && books.orders.allSatisfy { $0.state == "paid" }, "\(books.orders)")
    #expect(books.sales.count == 4 && books.sales.values.allSatisfy { $0 == 1 })
    #expect(books.faults == [])
  }
}
