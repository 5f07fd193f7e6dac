import Foundation
import OnsideAPI
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreMerchants
@testable import StoreSales
@testable import StoreWeb

@Suite(.timeLimit(.minutes(5))) struct APIKeyServiceTests {
  @Test("MER-8: keys are listed with app, name and scopes; the database has no secret")
  func list() async throws {
    let world = try await MerchantStore()
    let first = try await world.key([.read, .finance])
    world.store.clock.advance(by: .seconds(1))
    let second = try await world.key([.support], app: MerchantStore.otherApp)
    let all = try await world.keys.all()
    #expect(all.map(\.id) == [first.id, second.id])
    #expect(all.map(\.app) == [TestShop.app.id, MerchantStore.otherApp])
    #expect(all.map(\.scopes) == [[.read, .finance], [.support]])
    #expect(all.allSatisfy { $0.name == "backend" && $0.lastUsedAt == nil && $0.olderSecretEnd == nil })
    let ofOther = try await world.keys.all(of: MerchantStore.otherApp)
    #expect(ofOther.map(\.id) == [second.id])
    let rows = try await world.store.core.dependencies.database.read { connection in
      try ["api_keys", "api_key_secrets"].map { "\(try connection.rows("SELECT * FROM \($0)"))" }.joined()
    }
    #expect(rows.contains(first.id) && rows.contains(first.hash))
    #expect(!rows.contains(first.text.suffix(43)) && !rows.contains(second.text.suffix(43)))
  }

  @Test("MER-8: no key is made for an app that another process has removed")
  func removedApp() async throws {
    let world = try await MerchantStore()
    try await world.store.core.dependencies.database.write {
      try $0.execute("DELETE FROM apps WHERE id = $1", [.text(MerchantStore.otherApp)])
    }
    await #expect(throws: UnregisteredApp(id: MerchantStore.otherApp)) {
      try await world.key(app: MerchantStore.otherApp)
    }
    let keys = try await world.keys.all()
    #expect(keys.isEmpty)
  }

  @Test("MER-8: the previous secret is valid for 24 hours after a rotation")
  func rotation() async throws {
    let world = try await MerchantStore()
    let old = try await world.key()
    let new = try #require(try await world.keys.rotate(old.id))
    #expect(new.id == old.id && new.text != old.text)
    world.store.clock.advance(by: .seconds(24 * 3600 - 1))
    let caller = try await world.keys.caller(old)
    #expect(caller == APIKeyCaller(app: TestShop.app.id, key: old.id, scopes: [.read]))
    world.store.clock.advance(by: .seconds(1))
    let end = try await world.keys.all().first?.olderSecretEnd
    #expect(end == world.store.clock.now())
    await #expect(throws: APIKeyRejection.replaced(id: old.id, at: world.store.clock.now())) {
      try await world.keys.caller(old)
    }
    let newCaller = try await world.keys.caller(new)
    #expect(newCaller == caller)
  }

  @Test("MER-8: a key has two secrets at most: a second rotation ends the oldest at once")
  func secondRotation() async throws {
    let world = try await MerchantStore()
    let first = try await world.key()
    let second = try #require(try await world.keys.rotate(first.id))
    let third = try #require(try await world.keys.rotate(first.id))
    await #expect(throws: APIKeyRejection.secret(id: first.id)) { try await world.keys.caller(first) }
    for token in [second, third] {
      let caller = try await world.keys.caller(token)
      #expect(caller.key == first.id)
    }
    let count = try await world.keys.all().first?.secrets.count
    #expect(count == 2)
  }

  @Test("MER-8: a removed key is unknown; so is one of a removed app, also after the app is registered again")
  func removal() async throws {
    let world = try await MerchantStore()
    let (first, second) = (try await world.key(), try await world.key())
    let other = try await world.key(app: MerchantStore.otherApp)
    let isRemoved = try await world.keys.remove(first.id)
    #expect(isRemoved)
    let isRemovedAgain = try await world.keys.remove(first.id)
    #expect(!isRemovedAgain)
    let rotated = try await world.keys.rotate(first.id)
    #expect(rotated == nil)
    try await world.store.core.apps.remove(TestShop.app.id)
    try await world.store.core.apps.register(TestShop.app)
    for token in [first, second] {
      await #expect(throws: APIKeyRejection.id(token.id)) { try await world.keys.caller(token) }
    }
    let caller = try await world.keys.caller(other)
    #expect(caller.app == MerchantStore.otherApp)
    let secrets = try await world.store.core.dependencies.database.read {
      try $0.rows("SELECT key_id FROM api_key_secrets").map { try $0.text("key_id") }
    }
    #expect(secrets == [other.id])
  }

  @Test("MER-8: the last use of a key is written by the periodic pass, not by the request")
  func lastUse() async throws {
    let world = try await MerchantStore()
    let (used, unused) = (try await world.key(), try await world.key())
    _ = try await world.keys.caller(used)
    world.store.clock.advance(by: .seconds(5))
    _ = try await world.keys.caller(used)
    let time = world.store.clock.now()
    func uses() async throws -> [String: Date?] {
      Dictionary(uniqueKeysWithValues: try await world.keys.all().map { ($0.id, $0.lastUsedAt) })
    }
    let before = try await uses()
    #expect(before == [used.id: nil, unused.id: nil])
    world.store.clock.advance(by: .seconds(30))
    try await world.keys.writeUses()
    let after = try await uses()
    #expect(after == [used.id: time, unused.id: nil])
  }
}
