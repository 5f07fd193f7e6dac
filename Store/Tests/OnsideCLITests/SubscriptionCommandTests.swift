import Foundation
import Logging
import OnsideAPI
import OnsideCommerce
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// `onside subscription show`: a subscription for support.
@Suite(.timeLimit(.minutes(5))) struct SubscriptionCommandTests {
  private let onside: Program

  init() throws { onside = try Program() }

  @Test("A subscription is shown with its renewal, its refused try and what went back, in the order of time")
  func walk() async throws {
    _ = try await Shop(onside.folder)
    let first = try await subscribe(to: "pro")
    _ = try await onside.run("refund", first, "--amount", "1.00")
    let shown = try await show()
    for part in [
      "state         active\n", "product       pro\n", "price         9.99 EUR for P1M\n", "renewal       on\n",
      "next charge   9.99 EUR on 20", "method        Visa 4242 at sandbox, saved\n", "due           20",
      "consent       up to 9.99 EUR for ", "by account (payment_page)\n", "walk\n  20",
      "period 1, PURCHASE: pro for 9.99 EUR, paid until 20", "order \(first)\n    20",
      "payment of 9.99 EUR with sandbox: succeeded\n", "refund of 1.00 EUR by the operator (REFUND)\n",
    ] { #expect(shown.contains(part), "\(part): \(shown)") }
    #expect(!shown.contains("period 2") && !shown.contains("grace until"))

    try await replaceCard(by: .declined)
    let advanced = try await advance()
    #expect(advanced.status == 0, "\(advanced.errors)")
    let refused = try await show()
    for part in [
      "grace until   20", "period 2, RENEWAL: pro for 9.99 EUR, open, order ",
      "payment of 9.99 EUR with sandbox: declined, it may pay later\n",
    ] { #expect(refused.contains(part), "\(part): \(refused)") }
    let ends = refused.split(separator: "\n").filter { $0.contains("period ") }.map { String($0.prefix(22)) }
    #expect(ends == ends.sorted() && ends.count == 2)
  }

  @Test("A plan that was chosen, a planned pause, a question and the end of a renewal are shown")
  func wishes() async throws {
    _ = try await Shop(onside.folder)
    _ = try await subscribe(to: "pro")
    try await change { machine, now in
      _ = machine.handle(.pauseRequested(until: now + 90 * 86_400), at: now)
      _ = machine.handle(.priceChanged(to: Money(minorUnits: 1999, currency: .eur), needsConsent: true), at: now)
    }
    let asked = try await show()
    for part in ["state         asked\n", "pause         planned from 20", "before the account agrees to 19.99 EUR\n"] {
      #expect(asked.contains(part), "\(part): \(asked)")
    }
    try await change { machine, now in _ = machine.handle(.autoRenewSwitched(on: false), at: now) }
    let off = try await show()
    #expect(off.contains("renewal       off\n") && !off.contains("next charge") && !off.contains("pause "), "\(off)")
  }

  @Test("The list has state, end, next charge and price; stopped, a subscription ends with what is paid")
  func stop() async throws {
    _ = try await Shop(onside.folder)
    _ = try await subscribe(to: "pro")
    let listed = try await list()
    #expect(listed.first == "ACCOUNT APP GROUP PRODUCT STATE UNTIL NEXT CHARGE PRICE DUE", "\(listed)")
    let row = try #require(listed.last?.split(separator: " ").map(String.init))
    #expect(row[0..<5] == [Shop.account, Shop.app, "plans", "pro", "active"] && row[7...8] == ["9.99", "EUR"])
    #expect(row[5] > row[6] && row[6] == row[9], "charged an hour before the end")
    let stopped = try await onside.run(stopping)
    #expect(stopped.status == 0 && stopped.output.hasPrefix("Nothing more is charged; it ends on \(row[5]).\n"))
    #expect(stopped.output.contains("renewal       off\n"), "\(stopped.errors)")
    let ending = try await list()
    #expect(ending.last?.hasSuffix("pro ending \(row[5]) - - \(row[5])") == true, "\(ending)")
  }

  @Test("Stopped at once, what is left of the period's price goes back, and the list says that it was taken back")
  func stopAtOnce() async throws {
    _ = try await Shop(onside.folder)
    let order = try await subscribe(to: "pro")
    let stopped = try await onside.run(stopping + ["--now"])
    #expect(stopped.status == 0 && stopped.output.hasPrefix("It is over"), "\(stopped.errors)")
    #expect(stopped.output.contains("refund of 9.99 EUR by the operator (SUPPORT)"), "\(stopped.output)")
    let output = try await onside.run("order", "show", order).output
    #expect(output.contains("state         revoked\n"))
    let lastList = try await list().last
    #expect(lastList?.contains(" pro revoked ") == true)
    let none = try await onside.run(Array(stopping.dropLast()) + ["none"])
    #expect(none.status == 1 && none.errors.contains("expected an account that has subscribed in the group none"))
  }

  @Test(
    "SUB-4: all subscriptions of an app are stopped with their period, then at once for their unused time, then it goes"
  )
  func stopAll() async throws {
    _ = try await Shop(onside.folder)
    let order = try await subscribe(to: "pro")
    let all = ["subscription", "stop", "--app", Shop.app]
    let ending = try await onside.run(all)
    #expect(ending.status == 0 && ending.output.hasPrefix("They end with their paid period, the last one on 20"))
    #expect(ending.output.hasSuffix(": 1\n"), "\(ending.output) \(ending.errors)")
    let over = try await onside.run(all + ["--now", "--refund", "unused"])
    #expect(over.output == "They are over: 1\n", "\(over.errors)")
    let shown = try await onside.run("order", "show", order).output
    #expect(shown.contains("state         paid\n") && shown.contains("by the stop command (SUPPORT)"), "\(shown)")
    let none = try await onside.run(all)
    #expect(none.output == "The app has no active subscription.\n")
    let removed = try await onside.run("app", "remove", Shop.app)
    #expect(removed.status == 0, "\(removed.errors)")
  }

  @Test("SUB-4: subscription stop needs account and group together, --refund needs --now and a known value")
  func stopArguments() async throws {
    _ = try await Shop(onside.folder)
    let halved = try await onside.run("subscription", "stop", "--app", Shop.app, "--account", Shop.account)
    #expect(halved.status == 64 && halved.errors.contains("expected --account and --group, or neither of them"))
    let all = try await onside.run("subscription", "stop", "--app", Shop.app, "--now")
    #expect(all.status == 64 && all.errors.contains("--now: expected --refund whole, unused or none for all"))
    let later = try await onside.run(stopping + ["--refund", "whole"])
    #expect(later.status == 64 && later.errors.contains("--refund: expected it with --now"))
    let unknown = try await onside.run(stopping + ["--now", "--refund", "half"])
    #expect(unknown.status == 64 && unknown.errors.contains("unused"), "\(unknown.errors)")
  }

  private var stopping: [String] {
    ["subscription", "stop", "--account", Shop.account, "--app", Shop.app, "--group", "plans"]
  }

  /// The lines of the list, with one space between two columns.
  private func list() async throws -> [String] {
    let output = try await onside.run("subscription", "list").output
    return output.split(separator: "\n").map { $0.split(separator: " ").joined(separator: " ") }
  }

  @Test("An account that never subscribed in a group is an error that says where the subscriptions are listed")
  func unknown() async throws {
    _ = try await Shop(onside.folder)
    let none = try await onside.run(
      "subscription", "show", "--account", Shop.account, "--app", Shop.app, "--group", "plans")
    #expect(none.status == 1 && none.errors.contains("expected an account that has subscribed in the group plans"))
  }

  @Test(
    "SUB-5: an import that moves a plan with a subscriber to another group is rejected, and changes nothing")
  func changedGroup() async throws {
    _ = try await Shop(onside.folder)
    _ = try await subscribe(to: "pro")
    for (group, came) in [("other", "\"other\""), (nil, "none")] {
      try onside.folder.write("c.json", text: Self.catalogue(group: group))
      let stopped = try await onside.run(
        "import", "c.json", "--app", Shop.app, "--name", "Other", "--skip-invalid")
      #expect(stopped.status == 1)
      #expect(
        stopped.errors.hasPrefix(
          "Error: pro: expected the group \"plans\" of its 1 active subscription, got \(came)\nNothing was imported"),
        "\(stopped.errors)")
    }
    let shown = try await onside.run("app", "show", Shop.app).output
    #expect(shown.contains("\"Lumen\"") && shown.contains("AUTO_RENEWABLE_SUBSCRIPTION"), "\(shown)")
    try onside.folder.write("c.json", text: Self.catalogue(group: "plans"))
    let same = try await onside.run("import", "c.json", "--app", Shop.app)
    #expect(same.output.hasSuffix("\(Shop.app) now sells 1 product in 1 country.\n"), "\(same.errors)")
  }

  /// A catalogue of the product `pro`, a consumable without a group.
  private static func catalogue(group: String?) -> String {
    let plan = group.map {
      #", "subscription": {"groupID": "\#($0)", "groupName": "Plans", "level": 1, "period": "P1M", "offers": []}"#
    }
    let kind = group == nil ? "CONSUMABLE" : "AUTO_RENEWABLE_SUBSCRIPTION"
    return #"{"default_language": "nl", "products": [{"id": "pro", "kind": "\#(kind)", "referenceName": "","#
      + #" "localizations": [], "familyShareable": false, "prices": {"NL": {"amount": 999, "currency": "EUR"}}"#
      + (plan ?? "") + "}]}"
  }

  @Test("SUB-5: an app with an active subscription is not removed; stopped at once, the subscription does not keep it")
  func removedApp() async throws {
    _ = try await Shop(onside.folder)
    _ = try await subscribe(to: "pro")
    _ = try await onside.run(stopping)
    let refused = try await onside.run("app", "remove", Shop.app)
    #expect(refused.status == 1)
    #expect(
      refused.errors.hasPrefix("Error: \(Shop.app): expected an app without active subscriptions, got 1. Nothing was"),
      "\(refused.errors)")
    let kept = try await onside.run("app", "show", Shop.app)
    #expect(kept.status == 0)
    _ = try await onside.run(stopping + ["--now"])
    let removed = try await onside.run("app", "remove", Shop.app)
    #expect(removed.output == "\(Shop.app) is no longer registered.\n", "\(removed.errors)")
  }

  private func show() async throws -> String {
    let outcome = try await onside.run(
      "subscription", "show", "--account", Shop.account.uppercased(), "--app", Shop.app, "--group", "plans")
    #expect(outcome.status == 0, "\(outcome.errors)")
    return outcome.output
  }

  private func advance() async throws -> Program.Outcome {
    try await onside.run("subscription", "advance", Shop.account, "--app", Shop.app, "--group", "plans")
  }

  /// Sells a plan to the shop's account, which saves the card; the order.
  private func subscribe(to plan: String) async throws -> String {
    try await inStore { core in
      let product = Product(
        id: plan, kind: .autoRenewableSubscription, referenceName: plan,
        prices: [.netherlands: Money(minorUnits: 999, currency: .eur)],
        subscription: Subscription(groupID: "plans", groupName: "Plans", level: 1, period: .oneMonth))
      try await core.catalogue.replace(Catalogue(products: [product]), of: Shop.app)
      let order = try await core.orders.create(
        OrderRequest(productID: plan, country: .netherlands), id: UUID(),
        for: Customer(account: Shop.account, app: Shop.app))
      let outcome = try await core.payments.pay(
        core.orders.json.tokens.token(orderID: order.id),
        with: .offered(SandboxCard.succeeds.rawValue, save: true, keep: true),
        shownPrice: order.price)
      #expect(outcome == .paid)
      return OrderID(order.id).description
    }
  }

  private func replaceCard(by card: SandboxCard) async throws {
    try await inStore { core in
      try await core.dependencies.database.write(at: core.dependencies.clock.now()) { transaction in
        try transaction.execute("DELETE FROM payment_methods")
        try PaymentMethodRecords.record(
          card.details, of: "sandbox", id: "other", for: Shop.account, in: transaction)
        try transaction.execute("UPDATE subscriptions SET method_id = 'other'")
        try transaction.execute("UPDATE subscription_consents SET method_id = 'other'")
      }
    }
  }

  private func change(_ change: @escaping @Sendable (inout SubscriptionMachine, Date) -> Void) async throws {
    try await inStore { core in
      try await core.dependencies.database.write(at: core.dependencies.clock.now()) { transaction in
        let key = SubscriptionKey(account: Shop.account, app: Shop.app, group: "plans")
        var known = try #require(try SubscriptionRecords.subscription(key, in: transaction))
        change(&known.machine, transaction.now)
        try SubscriptionRecords.save(known, in: transaction)
      }
    }
  }

  private func inStore<Result: Sendable>(
    _ body: @Sendable (StoreCore) async throws -> Result
  ) async throws -> Result {
    let database = try DatabaseLocation.sqlite(path: onside.folder.file("onside.sqlite")).open(now: SystemClock().now())
    let core = try await StoreCore(
      StoreDependencies(database: database, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    let result = try await body(core)
    await database.close()
    return result
  }
}
