import Foundation
import OnsideAPI
import OnsideCommerce
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreSales

/// `onside trigger`.
@Suite(.timeLimit(.minutes(10))) struct TriggerCommandTests {
  private let onside: Program

  init() throws { onside = try Program() }

  /// A shop that sells gold and a plan.
  private func openShop() async throws {
    let shop = try await Shop(onside.folder)
    try await shop.open { core in
      let gold = Product(
        id: "gold", kind: .consumable, prices: [.netherlands: Money(minorUnits: 99, currency: .eur)])
      let pro = Product(
        id: "pro", kind: .autoRenewableSubscription, prices: [.netherlands: Money(minorUnits: 999, currency: .eur)],
        subscription: Subscription(groupID: "plans", groupName: "Plans", level: 1, period: .oneMonth))
      try await core.catalogue.replace(Catalogue(products: [gold, pro]), of: Shop.app)
    }
  }

  private func trigger(_ type: String, _ options: String...) async throws -> Program.Outcome {
    try await onside.run(["trigger", type, "--account", Shop.account] + options)
  }

  /// Triggers an event, and checks its type, app and object.
  private func expect(_ type: String, _ object: String, _ options: String...) async throws {
    let outcome = try await onside.run(["trigger", type, "--account", Shop.account, "--json"] + options)
    #expect(outcome.status == 0, "\(type) \(outcome)")
    guard outcome.status == 0 else { return }
    let event = try WireCoding.decoder().decode(MerchantEventMessage.self, from: Data(outcome.output.utf8))
    #expect(event.type.rawValue == type && event.data.object == object && event.data.app == Shop.app)
    let shown = try await onside.run("event", "show", event.id).output
    #expect(shown == outcome.output)
  }

  @Test("Each type is caused for a new account", arguments: EventTrigger.types.map(\.rawValue))
  func types(type: String) async throws {
    try await openShop()
    let object =
      switch type.prefix(while: { $0 != "." }) {
      case "subscription": "subscription"
      case "entitlement": "customer"
      default: "order"
      }
    try await expect(type, object)
  }

  @Test("The events of one account's subscription are caused in turn; a running subscription is not started again")
  func life() async throws {
    try await openShop()
    try await expect("subscription.started", "subscription", "--product", "pro", "--app", Shop.app)
    let again = try await trigger("subscription.started")
    #expect(again.status == 1 && again.errors.contains("without a running subscription"), "\(again)")
    for type in [
      "subscription.renewed", "subscription.grace_began", "subscription.renewed",
      "subscription.renewal_switched_off", "subscription.expired",
    ] {
      try await expect(type, "subscription", "--product", "pro", "--app", Shop.app)
    }
    let audit = try await onside.run("audit", "--act", "trigger").output
    #expect(audit.contains("type=subscription.grace_began") && audit.contains(Shop.account), "\(audit)")
  }

  @Test("Another type is an error with the supported ones; so are an unknown account and product")
  func mistakes() async throws {
    try await openShop()
    let type = try await trigger("subscription.paused")
    #expect(type.status == 64 && type.errors.contains("order.paid, order.refunded"), "\(type)")
    let product = try await trigger("subscription.started", "--product", "gold")
    #expect(product.status == 1 && product.errors.contains("one of the products pro, got \"gold\""), "\(product)")
    let account = try await onside.run("trigger", "order.paid", "--account", "none")
    #expect(account.status == 1 && account.errors.contains("expected the id of an account"), "\(account)")
    let list = try await onside.run("event", "list").output
    #expect(list == "There are no such events.\n")
  }
}
