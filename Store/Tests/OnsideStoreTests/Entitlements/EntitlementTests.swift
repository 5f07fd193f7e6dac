import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import OnsideVerify
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StorePayments
@testable import StoreSales

@Suite("Entitlements", .timeLimit(.minutes(5)))
struct EntitlementTests {
  /// The account's list, verified with the published keys.
  private func list(of shopper: Shopper) async throws -> EntitlementList {
    let answer = try await shopper.get("/v1/entitlements")
    #expect(answer.status == .ok && answer.headers[.contentType] == "application/jose")
    let keys = try JSONWebKeySet(jwks: Data(String(buffer: try await shopper.get("/.well-known/jwks.json").body).utf8))
    let payload = try keys.payload(of: String(buffer: answer.body), type: EntitlementList.type)
    return try TransactionHistory.decoder.decode(EntitlementList.self, from: payload)
  }

  @Test("ENT-1: what lasts is in the list, a consumable is not; a refund is told with its date")
  func lasting() async throws {
    try await TestStore().shop { shopper in
      try await shopper.buy("coins")
      let order = try await shopper.buy("remove_ads", token: "user-1")
      let list = try await list(of: shopper)
      #expect(list.bundleID == TestShop.app.id && list.environment == .sandbox)
      #expect(list.subject == EntitlementList.subject(account: shopper.accountID, app: TestShop.app.id))
      #expect(list.validUntil == list.issuedAt + EntitlementList.lifetime)
      #expect(list.entitlements.map(\.productID) == ["remove_ads"])
      #expect(list.entitlements[0].orderID == order.id.uuid && list.entitlements[0].appAccountToken == "user-1")
      try await shopper.store.core.orders.refund(order.id.uuid, because: .refund)
      let after = try await self.list(of: shopper).entitlements
      #expect(after.map(\.isActive) == [false] && after.first?.revocation?.reason == .refund)
    }
  }

  @Test("ENT-1: a list is of one account, and nobody else's")
  func own() async throws {
    try await TestStore().shop { shopper in
      try await shopper.buy("remove_ads")
      let other = Shopper(
        store: shopper.store, client: shopper.client, accountID: try await shopper.store.account(), country: "NL")
      let list = try await list(of: other)
      #expect(list.entitlements.isEmpty)
      let subject = try await self.list(of: shopper).subject
      #expect(subject != list.subject)
    }
  }

  @Test("ENT-5, SUB-2: a renewal that is refused leaves access for the grace period, which is told an hour before")
  func grace() async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe()
      let end = try #require(subscriber.purchase.expiresAt)
      let first = try #require(try await list(of: shopper).entitlements.first)
      #expect(first.willRenew == true && first.graceUntil == nil && first.expiresAt == end)
      try await shopper.replaceCards(by: .declined)
      try await subscriber.pass(to: end - 3600)
      let asked = try #require(try await list(of: shopper).entitlements.first)
      #expect(asked.expiresAt == end && asked.graceUntil == end + 16 * 86_400)
      try await subscriber.pass(to: end + 17 * 86_400)
      let over = try #require(try await list(of: shopper).entitlements.first)
      #expect(over.accessEnd == end && over.willRenew == true)
      _ = try await subscriber.setAutoRenew(false)
      let willRenews = try await list(of: shopper).entitlements.map(\.willRenew)
      #expect(willRenews == [false])
    }
  }

  @Test("ENT-5: a renewal that is paid moves the end, and stays one entitlement with its first purchase")
  func renewal() async throws {
    try await TestStore().shop { shopper in
      let subscriber = try await shopper.subscribe()
      let end = try #require(subscriber.purchase.expiresAt)
      try await subscriber.pass(to: end)
      let entitlements = try await list(of: shopper).entitlements
      #expect(entitlements.map(\.originalOrderID) == [subscriber.purchase.id.uuid])
      #expect(entitlements.map(\.expiresAt) == [Period.oneMonth.adding(to: end)])
      #expect(entitlements.map(\.willRenew) == [true])
    }
  }
}

extension Entitlement {
  fileprivate var isActive: Bool { isActive(at: .distantFuture) }
}
