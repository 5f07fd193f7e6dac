import Foundation
import OnsideCommerce
import OnsideStore
import StoreBase
import StoreSales
import StoreTestSupport
import Testing

/// `onside grant` and `onside subscription extend`.
@Suite(.timeLimit(.minutes(5))) struct GrantCommandTests {
  private let onside: Program

  init() throws { onside = try Program() }

  private func grant(_ arguments: String...) async throws -> Program.Outcome {
    try await onside.run(["grant", "--account", Shop.account.uppercased(), "--app", Shop.app] + arguments)
  }

  /// Sells coins and a plan of one month.
  @discardableResult
  private func makeShop() async throws -> Shop {
    let plan = Product(
      id: "pro", kind: .autoRenewableSubscription, referenceName: "Pro",
      prices: [.netherlands: Money(minorUnits: 999, currency: .eur)],
      subscription: Subscription(groupID: "plans", groupName: "Plans", level: 1, period: .oneMonth))
    let gold = Product(
      id: "gold", kind: .consumable, referenceName: "Gold",
      prices: [.netherlands: Money(minorUnits: 99, currency: .eur)])
    let shop = try await Shop(onside.folder)
    try await shop.open { try await $0.catalogue.replace(try Catalogue(products: [gold, plan]), of: Shop.app) }
    return shop
  }

  @Test("SUB-20: onside grant prints the order of the grant; onside refund of it takes it back")
  func consumable() async throws {
    try await makeShop()
    let granted = try await grant("--product", "gold", "--quantity", "3")
    for part in [
      "state         paid\n", "product       3 × gold\n", "price         0.00 EUR\n", "reason        GRANT\n",
      "  granted by the operator\n",
    ] { #expect(granted.output.contains(part), "\(part): \(granted.output) \(granted.errors)") }
    let id = try #require(granted.output.firstMatch(of: /Granted as the order ([0-9a-f-]+)\./)?.output.1)
    let refunded = try await onside.run("refund", String(id))
    #expect(refunded.status == 0 && refunded.output.contains("state         revoked\n"), "\(refunded.errors)")
    let again = try await onside.run("grant", "--order", String(id))
    #expect(again.status == 0, "\(again.errors)")
    #expect(again.output.contains("granted by the operator in place of the order \(id)\n"), "\(again.output)")
    #expect(!again.output.contains("ordered in the app"))
  }

  @Test("SUB-20, SUB-22: a plan is granted for days, shown as a subscription, and extended")
  func subscription() async throws {
    let shop = try await makeShop()
    let granted = try await grant("--product", "pro", "--days", "14")
    #expect(granted.status == 0 && granted.output.contains("until         20"), "\(granted.errors)")
    let extended = try await extend("--days", "7")
    #expect(extended.status == 0 && extended.output.hasPrefix("The period that is paid ends on 20"))
    for part in ["state         ending\n", "renewal       off\n", "period 1, GRANT: pro for 0.00 EUR, paid until 20"] {
      #expect(extended.output.contains(part), "\(part): \(extended.output) \(extended.errors)")
    }
    let days = try await endsInDays(shop)
    #expect(days == 21)
    let second = try await grant("--product", "pro")
    #expect(second.status == 1 && second.errors.contains("`onside subscription extend` moves the end of a plan"))
    let earlier = try await extend("--until", "2026-01-01")
    #expect(earlier.status == 1 && earlier.errors.contains("expected an end after 20"), "\(earlier.errors)")
  }

  @Test("SUB-20: onside grant without a product, with an unknown one, and of an order that is not revoked is an error")
  func rejected() async throws {
    try await makeShop()
    let bare = try await grant()
    #expect(bare.status == 64 && bare.errors.contains("expected --account, --app and --product, or --order alone"))
    let both = try await grant("--order", "1")
    #expect(both.status == 64)
    let unknown = try await grant("--product", "silver")
    #expect(unknown.status == 1 && unknown.errors.contains("sells in NL, the account's region. Nothing was granted."))
    let none = try await onside.run("grant", "--order", Shop.account)
    #expect(none.status == 1 && none.errors.contains("expected the id of an order"), "\(none.errors)")
    let empty = try await extend()
    #expect(empty.status == 64 && empty.errors.contains("expected --days or --until"))
    let never = try await extend("--days", "1")
    #expect(never.status == 1 && never.errors.contains("expected an account that has subscribed in the group plans"))
  }

  private func extend(_ arguments: String...) async throws -> Program.Outcome {
    try await onside.run(
      ["subscription", "extend", "--account", Shop.account, "--app", Shop.app, "--group", "plans"] + arguments)
  }

  /// The whole days from the beginning of the only order to its end.
  private func endsInDays(_ shop: Shop) async throws -> Int? {
    try await shop.open { core in
      let order = try await core.dependencies.database.read { try OrderListing.newest(1, in: $0) }.first
      return order.flatMap { order in
        order.expiresAt.map { Int(($0.timeIntervalSince(order.createdAt) / 86_400).rounded()) }
      }
    }
  }
}
