import Foundation
import HummingbirdTesting
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales
@testable import StoreWeb

@Suite("Introductory offers after a deleted account", .timeLimit(.minutes(5)))
struct DeletedSubscriberTests {
  private static let number = "+31612345689"

  /// The account that a number logs in to, or signs up.
  private func shopper(_ number: String, at shop: ShopStore, _ client: any TestClientProtocol) async throws -> Shopper {
    let tokens = try await shop.login.tokens(client, phone: number)
    return Shopper(
      store: shop.store, client: client, accountID: shop.store.account(of: tokens).description, country: "NL")
  }

  private func delete(_ shopper: Shopper, at shop: ShopStore) async throws {
    try await shop.store.core.accounts.remove(try #require(AccountID(shopper.accountID)))
  }

  private func offersTrial(_ shopper: Shopper) async throws -> Bool {
    let products = try await shopper.get("/v1/products?id=plus").message(ProductsMessage.self).products
    return try #require(products.first).introductoryOffer != nil
  }

  @Test("PRD-9: a number whose account was deleted after a trial is offered no second one, and pays the full price")
  func deletedAccount() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let first = try await shopper(Self.number, at: shop, client)
      let trial = try await first.buy("plus")
      #expect(trial.price.money.minorUnits == 0)
      try await delete(first, at: shop)
      let second = try await shopper(Self.number, at: shop, client)
      #expect(second.accountID != first.accountID)
      let isOffered = try await offersTrial(second)
      #expect(!isOffered)
      let order = try await second.order("plus")
      #expect(order.price.money.minorUnits == 999)
    }
  }

  @Test("PRD-9: a number of which no account had a trial is offered one, also after another account was deleted")
  func otherNumber() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let first = try await shopper(Self.number, at: shop, client)
      _ = try await first.buy("plus")
      let unused = try await shopper("+31687654321", at: shop, client)
      try await delete(first, at: shop)
      try await delete(unused, at: shop)
      let isOffered = try await offersTrial(try await shopper("+31687654321", at: shop, client))
      #expect(isOffered)
    }
  }

  @Test("PRD-9: two years after the deletion a number is offered a trial again, and its hash is deleted")
  func lifetime() async throws {
    let shop = try await ShopStore()
    let accounts = shop.store.core.accounts
    try await shop.test { client in
      let first = try await shopper(Self.number, at: shop, client)
      _ = try await first.buy("plus")
      try await delete(first, at: shop)
      for (days, isExpected) in [(-1, false), (2, true)] {
        let lifetime = days < 0 ? DeletedSubscriberRecords.lifetime : 0
        shop.store.clock.advance(by: .seconds(lifetime + TimeInterval(days) * 86_400))
        try await accounts.clearDeletedSubscribers()
        let isOffered = try await offersTrial(try await shopper(Self.number, at: shop, client))
        #expect(isOffered == isExpected)
      }
    }
  }

  @Test("PRD-9: a number that its account removes after a trial is offered no second one in an account of its own")
  func removedIdentity() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let first = try await shopper(Self.number, at: shop, client)
      _ = try await first.buy("plus")
      let id = try #require(AccountID(first.accountID))
      let other = try #require(Contact(stored: "+31687654321"))
      _ = try await shop.store.core.dependencies.database.write(at: shop.store.clock.now()) {
        try AccountRecords.addIdentity(
          ProvedIdentity(identity: .contact(other), label: nil, provedAt: $0.now), to: id, in: $0)
      }
      let number = try #require(Contact(stored: Self.number))
      let (accounts, now) = (shop.store.core.accounts, shop.store.clock.now())
      let account = try #require(try await accounts.account(id))
      let proved = ProvedIdentity(identity: .contact(number), label: nil, provedAt: now)
      let login = WebSession(token: "t", account: account, createdAt: now, usedAt: now)
      let isRemoved = try await accounts.remove(proved, by: login, language: .english)
      #expect(isRemoved)
      let isOffered = try await offersTrial(try await shopper(Self.number, at: shop, client))
      #expect(!isOffered)
    }
  }

  @Test("PRD-9: a number of a deleted subscriber redeems codes without a rule of customers only")
  func codes() async throws {
    let shop = try await ShopStore()
    try await shop.test { client in
      let first = try await shopper(Self.number, at: shop, client)
      _ = try await first.buy("plus")
      try await delete(first, at: shop)
      let second = try await shopper(Self.number, at: shop, client)
      let core = shop.store.core
      let key = SubscriptionKey(account: second.accountID, app: ShopStore.app, group: "plus")
      let history = try await core.dependencies.database.read {
        try GroupHistory(key, orders: core.orders.records, at: shop.store.clock.now(), in: $0)
      }
      let product = try #require(core.catalogue.catalogue(of: ShopStore.app)["plus"])
      let plan = try #require(SubscriptionPlan(product, in: .netherlands))
      for (customers, isAllowed) in [(nil, true), ([.new], false), ([.active], false), ([.expired], false)]
        as [([OfferCustomer]?, Bool)]
      {
        let offer = Offer(id: "code", kind: .code, mode: .freeTrial, period: .oneMonth, customers: customers)
        let refusal = history.refusal(of: offer, of: plan, at: shop.store.clock.now(), by: .code)
        #expect((refusal == nil) == isAllowed, "\(customers ?? [])")
      }
    }
  }
}
