import Foundation
import OnsideAPI
import OnsideCommerce
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreMerchants
@testable import StorePayments
@testable import StoreSales

/// `onside event`.
@Suite(.timeLimit(.minutes(5))) struct EventCommandTests {
  private let onside: Program

  init() throws { onside = try Program() }

  /// Sells gold to the shop's account; returns the order's id.
  private func sell(in shop: Shop, numbered: Bool = true) async throws -> String {
    try await shop.open { core in
      let order = try await core.orders.create(
        OrderRequest(productID: "gold", country: .netherlands), id: UUID(),
        for: Customer(account: Shop.account, app: Shop.app))
      let outcome = try await core.payments.pay(
        core.orders.json.tokens.token(orderID: order.id), with: .offered(SandboxCard.succeeds.rawValue, save: false),
        shownPrice: order.price)
      #expect(outcome == .paid)
      if numbered { try await core.sequencer.assign() }
      return order.id.lowercase
    }
  }

  private func events(_ options: String...) async throws -> [MerchantEventMessage] {
    let outcome = try await onside.run(["event", "list", "--json"] + options)
    #expect(outcome.status == 0, "\(outcome)")
    return try WireCoding.decoder().decode([MerchantEventMessage].self, from: Data(outcome.output.utf8))
  }

  @Test("Events are listed, the newest first, by app, type, time and number, and one is shown")
  func list() async throws {
    let shop = try await Shop(onside.folder)
    let (first, second) = (try await sell(in: shop), try await sell(in: shop))
    let paid = try await events("--types", "order.paid", "--since", "1h", "--app", Shop.app)
    #expect(paid.map(\.data.objectID) == [second, first])
    let newest = try await events("--types", "order.paid,order.refunded", "--limit", "1")
    #expect(newest == Array(paid.prefix(1)))
    let refunded = try await events("--types", "order.refunded")
    #expect(refunded.isEmpty)
    let table = try await onside.run("event", "list", "--types", "order.paid").output
    let lines = table.split(separator: "\n").map { $0.split(separator: " ") }
    #expect(lines.count == 3 && lines[0] == ["EVENT", "AT", "TYPE", "CAUSE", "OBJECT", "SEQUENCE"])
    #expect(lines[1][0] == paid[0].id && lines[1][2...] == ["order.paid", "-", "order", Substring(second), "1"])
    let shown = try await onside.run("event", "show", paid[0].id, "--app", Shop.app)
    let event = try WireCoding.decoder().decode(MerchantEventMessage.self, from: Data(shown.output.utf8))
    #expect(event == paid[0], "\(shown.errors)")
  }

  @Test("Events without a number are counted, not listed")
  func waiting() async throws {
    let order = try await sell(in: try await Shop(onside.folder), numbered: false)
    let list = try await onside.run("event", "list").output
    #expect(list.contains("Events without a number: ") && !list.contains(order), "\(list)")
  }

  @Test("An unknown id, type, app and time are errors")
  func mistakes() async throws {
    _ = try await Shop(onside.folder)
    let list = try await onside.run("event", "list", environment: ["ONSIDE_API_KEY": "onsk_"]).output
    #expect(list == "There are no such events.\n", "the variable of onside listen is no setting of a store")
    for arguments in [
      ["show", "evt_a_1"], ["show", "order"], ["list", "--app", "none"], ["list", "--since", "then"],
    ] {
      let outcome = try await onside.run(["event"] + arguments)
      #expect(outcome.status == 1 && outcome.errors.contains("expected"), "\(arguments) \(outcome)")
    }
    let type = try await onside.run("event", "list", "--types", "order.sold")
    #expect(type.status == 64 && type.errors.contains("order.refunded"), "\(type)")
  }
}
