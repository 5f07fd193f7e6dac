import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreMerchants
@testable import StoreSales

@Suite("Secrets of merchants", .timeLimit(.minutes(5)))
struct MerchantSecretTests {
  private static let app = TestShop.app.id

  @Test("MER-1: a rotated secret is valid for 24 hours beside the new one; another rotation ends it")
  func rotation() async throws {
    try await TestStore().shop { shopper in
      let secrets = shopper.store.core.merchantSecrets
      let order = try await shopper.buy("coins").id
      let first = try await shopper.store.merchant()
      let second = TestMerchant(made: try #require(try await secrets.rotate(app: Self.app)))
      #expect(second.made.entry.merchant == first.made.entry.merchant)
      func statuses(_ merchants: [TestMerchant]) async throws -> [Int] {
        var all: [Int] = []
        for merchant in merchants { all.append(try await shopper.history(of: order, by: merchant).status.code) }
        return all
      }
      var found = try await statuses([first, second])
      #expect(found == [200, 200])
      shopper.store.advance(by: .seconds(MerchantSecretService.overlap))
      found = try await statuses([first, second])
      #expect(found == [401, 200])
      let third = TestMerchant(made: try #require(try await secrets.rotate(app: Self.app)))
      let fourth = TestMerchant(made: try #require(try await secrets.rotate(app: Self.app)))
      found = try await statuses([second, third, fourth])
      #expect(found == [401, 200, 200])
      let last = TestMerchant(made: try #require(try await secrets.rotate(app: Self.app, isImmediate: true)))
      found = try await statuses([third, fourth, last])
      #expect(found == [401, 401, 200])
      let listed = try await secrets.all().map(\.id)
      #expect(listed == [last.made.entry.id])
    }
  }

  @Test("MER-1: a registered app has one merchant id, and each another one; a removed one is rejected at once")
  func merchants() async throws {
    try await TestStore().shop { shopper in
      let (store, secrets) = (shopper.store, shopper.store.core.merchantSecrets)
      try await store.core.apps.register(App(id: "io.example.other", name: "Other", redirectURIs: []))
      let (merchant, other) = (try await store.merchant(), try await store.merchant(of: "io.example.other"))
      #expect(merchant.made.entry.merchant != other.made.entry.merchant)
      await #expect(throws: UnregisteredApp(id: "none")) { try await secrets.add(app: "none") }
      let again = try await secrets.add(app: Self.app)
      #expect(again == nil)
      let order = try await shopper.buy("coins").id
      #expect(try await secrets.remove(app: Self.app))
      let status = try await shopper.history(of: order, by: merchant).status
      #expect(status == .unauthorized)
      let isRemovedAgain = try await secrets.remove(app: Self.app)
      let rotated = try await secrets.rotate(app: Self.app)
      #expect(!isRemovedAgain && rotated == nil)
      let listed = try await secrets.all().map(\.app)
      #expect(listed == ["io.example.other"])
    }
  }

  @Test("MER-1: the secrets are removed with their app, and not valid for the app that is registered again")
  func removedApp() async throws {
    try await TestStore().shop { shopper in
      let (store, order) = (shopper.store, try await shopper.buy("coins").id)
      let merchant = try await store.merchant()
      try await store.core.apps.remove(Self.app)
      var status = try await shopper.history(of: order, by: merchant).status
      #expect(status == .unauthorized)
      try await store.core.apps.register(TestShop.app)
      status = try await shopper.history(of: order, by: merchant).status
      #expect(status == .unauthorized)
    }
  }

  @Test("STO-18: merchants' secrets stay valid over rotations of the store's secret, and are deleted after a leak")
  func storeSecret() async throws {
    try await TestStore().shop { shopper in
      let (store, secrets) = (shopper.store, shopper.store.core.merchantSecrets)
      let order = try await shopper.buy("coins").id
      let merchant = try await store.merchant()
      for _ in 0..<2 {
        try await store.core.secrets.rotate()
        store.advance(by: .seconds(StoreSecrets.startDelay + StoreSecrets.overlap))
      }
      var status = try await shopper.history(of: order, by: merchant).status
      #expect(status == .ok)
      try await store.core.secrets.replaceLeaked()
      status = try await shopper.history(of: order, by: merchant).status
      let left = try await secrets.all()
      #expect(status == .unauthorized && left.isEmpty)
      let fresh = try await store.merchant()
      status = try await shopper.history(of: order, by: fresh).status
      #expect(status == .ok)
    }
  }

  @Test("SEC-1: the table has nothing of a secret, and the seal of one row does not open in another")
  func sealed() async throws {
    let store = try await TestStore()
    try await store.openShop()
    let made = try await store.merchant().made
    let rows = try await store.core.dependencies.database.read { try $0.rows("SELECT * FROM merchant_secrets") }
    let bytes = try #require(try rows.first?.blob("sealed"))
    #expect(rows.count == 1 && !rows.map { "\($0)" }.joined().contains(made.secret.text))
    #expect(String(decoding: bytes, as: UTF8.self).contains(made.secret.text) == false)
    let seal = SecretSeal(
      purpose: MerchantSecret.sealPurpose, secrets: store.core.secrets, random: store.core.dependencies.random)
    let opened = try seal.open(bytes, id: made.entry.id)
    #expect(opened == made.secret.text)
    #expect(throws: StorageError.self) { try seal.open(bytes, id: "00112233445566ff") }
  }

  @Test("MER-1: the list has the last use, at most once a minute")
  func lastUse() async throws {
    try await TestStore().shop { shopper in
      let (store, secrets) = (shopper.store, shopper.store.core.merchantSecrets)
      let order = try await shopper.buy("coins").id
      let merchant = try await store.merchant()
      let start = store.clock.now()
      var uses = try await secrets.all().map(\.lastUsedAt)
      #expect(uses == [nil])
      for seconds in [0, 59, 1] {
        store.advance(by: .seconds(seconds))
        _ = try await shopper.history(of: order, by: merchant)
        uses += try await secrets.all().map(\.lastUsedAt)
      }
      #expect(uses == [nil, start, start, start + 60])
    }
  }
}
