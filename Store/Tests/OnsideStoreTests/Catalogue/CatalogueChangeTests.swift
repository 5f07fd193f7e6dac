import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// What keeps active subscriptions from a second charge or from charges without access.
@Suite("Catalogues and apps with subscribers", .timeLimit(.minutes(5)))
struct CatalogueChangeTests {
  /// A state in which a subscription of the plan `basic` is active.
  enum State: CaseIterable {
    case paid, ending, chosen, grace, retry, paused

    func begin(_ subscriber: Subscriber) async throws {
      let core = subscriber.shopper.store.core
      switch self {
      case .paid: break
      case .ending:
        let isOn = try await subscriber.setAutoRenew(false)
        #expect(isOn)
      case .chosen:
        let outcome = try await subscriber.choose("small", at: 499)
        #expect(outcome == .planned)
      case .grace, .retry:
        try await subscriber.shopper.replaceCards(by: .declined)
        try await subscriber.pass(days: self == .grace ? 32 : 55)
      case .paused:
        let isPlanned = try await core.subscriptions.pause(months: 2, of: subscriber.key)
        #expect(isPlanned)
        try await subscriber.pass(days: 40)
      }
    }

    var stage: SubscriptionMachine.Stage {
      switch self {
      case .paid, .ending, .chosen: .active
      case .grace: .grace
      case .retry: .retry
      case .paused: .paused(until: "04-10".midnight)
      }
    }

    /// The product of the catalogue that the subscription is about.
    var product: String { self == .chosen ? "small" : "basic" }
  }

  @Test(
    "SUB-5: a product with an active subscription keeps its group, and its app is not removed",
    arguments: State.allCases)
  func active(state: State) async throws {
    try await PlanShop.open { shopper in
      let (core, app) = (shopper.store.core, TestShop.app.id)
      let subscriber = try await shopper.subscribe(to: "basic")
      try await state.begin(subscriber)
      let stage = try await subscriber.machine().stage
      #expect(stage == state.stage)
      let change = CatalogueChangeError.Change(
        product: state.product, group: "plans", newGroup: "other", subscriptions: 1)
      await #expect(throws: CatalogueChangeError(changes: [change])) {
        try await core.catalogue.replace(try Self.moving(state.product), of: app)
      }
      #expect(core.catalogue.product(state.product, of: app)?.subscription?.groupID == "plans")
      await #expect(throws: AppRemovalError.activeSubscriptions(1)) { try await core.apps.remove(app) }
      #expect(core.apps.app(app) != nil)
      try await core.catalogue.replace(try Self.moving("max"), of: app)
      #expect(core.catalogue.product("max", of: app)?.subscription?.groupID == "other")
    }
  }

  @Test("SUB-5: a product that an import has left out meanwhile keeps its group while it has subscriptions")
  func leftOut() async throws {
    try await PlanShop.open { shopper in
      let (core, app) = (shopper.store.core, TestShop.app.id)
      let subscriber = try await shopper.subscribe(to: "basic")
      try await core.catalogue.replace(try Catalogue(products: []), of: app)
      let change = CatalogueChangeError.Change(product: "basic", group: "plans", newGroup: "other", subscriptions: 1)
      await #expect(throws: CatalogueChangeError(changes: [change])) {
        try await core.catalogue.replace(try Self.moving("basic"), of: app)
      }
      let isOn = try await subscriber.setAutoRenew(false)
      #expect(isOn)
      shopper.store.advance(by: .seconds(32 * 86_400))
      try await core.catalogue.replace(try Self.moving("basic"), of: app)
      #expect(core.catalogue.product("basic", of: app)?.subscription?.groupID == "other", "it has expired")
      try await core.apps.remove(app)
      #expect(core.apps.app(app) == nil)
    }
  }

  @Test("SUB-5: the subscriptions of an app are all counted, also those behind the first 500, and no other app's")
  func count() async throws {
    try await PlanShop.open { shopper in
      let subscriber = try await shopper.subscribe(to: "basic")
      let database = shopper.store.core.dependencies.database
      let now = shopper.store.clock.now()
      let counts = try await database.write(at: now) { [key = subscriber.key] transaction in
        let known = try #require(try SubscriptionRecords.subscription(key, in: transaction))
        for number in 0..<1001 {
          for (app, group) in [(key.app, "plans"), ("io.example.z", "plans"), (key.app, "extras")].prefix(
            number == 0 ? 3 : 1)
          {
            let copy = SubscriptionKey(account: "account \(number)", app: app, group: group)
            try SubscriptionRecords.save(
              StoredSubscription(
                key: copy, machine: known.machine, firstOrder: known.firstOrder, lastOrder: known.lastOrder),
              in: transaction)
          }
        }
        return [
          try SubscriptionRecords.active(of: key.app, at: now, in: transaction),
          try SubscriptionRecords.active(of: key.app, group: "plans", at: now, in: transaction),
          try SubscriptionRecords.active(of: "io.example.z", at: now, in: transaction),
        ]
      }
      #expect(counts == [1003, 1002, 1])
    }
  }

  /// The plans, one of them in the group `other`.
  private static func moving(_ id: String) throws -> Catalogue {
    try Catalogue(
      products: PlanShop.catalogue().products.map { product in
        var product = product
        if product.id == id { product.subscription?.groupID = "other" }
        return product
      })
  }
}
