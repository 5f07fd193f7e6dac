import Dispatch
import Foundation
import OnsideCommerce
import Testing

@testable import OnsideKit

@MainActor
@Suite("What the account may use", .timeLimit(.minutes(5)))
struct EntitlementControllerTests {
  let world = ClientHarness()
  let store = StoreDouble(signedIn: .alice)

  private func entitlement(_ product: String, lasting seconds: TimeInterval? = nil) -> Entitlement {
    Entitlement(
      productID: product, productType: seconds == nil ? .nonConsumable : .autoRenewableSubscription,
      subscriptionID: seconds.map { _ in "plans" }, orderID: UUID(), purchaseDate: world.clock.now,
      expiresAt: seconds.map { world.clock.now + $0 })
  }

  /// What the store answers from now on.
  /// - Parameter seconds: when it will be asked, from now.
  private func answer(_ entitlements: Entitlement..., after seconds: TimeInterval = 0) {
    let now = world.clock.now + seconds
    store.set {
      $0.entitlements = .success(
        SignedEntitlements(
          EntitlementList(
            bundleID: "io.example.lumen", environment: .production, subject: "", issuedAt: now,
            validUntil: now + EntitlementList.lifetime, entitlements: entitlements),
          proof: EntitlementProof(list: "a.b.c", keys: Data())))
    }
  }

  private func client() -> OnsideClient { OnsideClient.scripted(store, in: world) }

  private func products(_ client: OnsideClient) async -> [String] {
    await client.entitlements.filter(\.isActive).map(\.productIdentifier)
  }

  @Test("ENT-2: nobody is asked before the app wants to know; then the first answer is waited for")
  func first() async {
    answer(entitlement("remove_ads"))
    let client = client()
    #expect(store.now.entitlementQuestions == 0)
    let productIDs = await products(client)
    #expect(productIDs == ["remove_ads"])
    let again = await products(client)
    #expect(again == ["remove_ads"] && store.now.entitlementQuestions == 1)
    await client.close()
  }

  @Test("ENT-2: logged out there are none, and the store is not asked")
  func loggedOut() async {
    store.set { $0.signedIn = nil }
    let client = client()
    #expect(await client.entitlements.isEmpty)
    #expect(store.now.entitlementQuestions == 0)
    await client.close()
  }

  @Test("ENT-2: a store that cannot be reached gives none, is asked again, and its answer is told")
  func unreachable() async {
    let client = client()
    #expect(await client.entitlements.isEmpty)
    var updates = client.entitlementUpdates.makeAsyncIterator()
    let nextIsEmpty = await updates.next()?.isEmpty
    #expect(nextIsEmpty == true)
    answer(entitlement("remove_ads"))
    await untilAsleep()
    world.clock.advance(60)
    let productIdentifiers = await updates.next()?.map(\.productIdentifier)
    #expect(productIdentifiers == ["remove_ads"])
    await client.close()
  }

  @Test("ENT-5: what ends is told at its end, after the store was asked about a renewal")
  func end() async {
    let period = entitlement("pro", lasting: 100)
    answer(period)
    let client = client()
    var updates = client.entitlementUpdates.makeAsyncIterator()
    let isActives = await updates.next()?.map(\.isActive)
    #expect(isActives == [true])
    await untilAsleep()
    answer(period, after: 100)
    world.clock.advance(100)
    let secondIsActives = await updates.next()?.map(\.isActive)
    #expect(secondIsActives == [false])
    #expect(store.now.entitlementQuestions == 2)
    await client.close()
  }

  @Test("ENT-5: a renewal that the store tells at the end is no end")
  func renewed() async {
    answer(entitlement("pro", lasting: 100))
    let client = client()
    var updates = client.entitlementUpdates.makeAsyncIterator()
    let isActives = await updates.next()?.map(\.isActive)
    #expect(isActives == [true])
    await untilAsleep()
    answer(entitlement("pro", lasting: 300), after: 100)
    world.clock.advance(100)
    let secondIsActives = await updates.next()?.map(\.isActive)
    #expect(secondIsActives == [true])
    await client.close()
  }

  @Test("ENT-5: orders that changed have the store asked again")
  func orders() async {
    answer()
    let client = client()
    var updates = client.entitlementUpdates.makeAsyncIterator()
    let nextIsEmpty = await updates.next()?.isEmpty
    #expect(nextIsEmpty == true)
    answer(entitlement("remove_ads"))
    client.entitlementController.purchasesChanged()
    let productIdentifiers = await updates.next()?.map(\.productIdentifier)
    #expect(productIdentifiers == ["remove_ads"])
    await client.close()
  }

  @Test("ENT-6: a logout takes everything away at once; another account gets its own")
  func account() async {
    answer(entitlement("remove_ads"))
    let client = client()
    var updates = client.entitlementUpdates.makeAsyncIterator()
    let nextCount = await updates.next()?.count
    #expect(nextCount == 1)
    let signedEntitlements = await client.signedEntitlements
    #expect(signedEntitlements == "a.b.c")
    client.logout()
    #expect(await client.entitlements.isEmpty)
    let secondSignedEntitlements = await client.signedEntitlements
    #expect(secondSignedEntitlements == nil)
    let nextIsEmpty = await updates.next()?.isEmpty
    #expect(nextIsEmpty == true)
    answer(entitlement("skin"))
    store.answerLogin(.success(.bob))
    try? await client.login()
    let productIDs = await products(client)
    #expect(productIDs == ["skin"])
    let productIdentifiers = await updates.next()?.map(\.productIdentifier)
    #expect(productIdentifiers == ["skin"])
    await client.close()
  }

  @Test("ENT-6: a logout before anything was asked for deletes the list of the launch before, and no other app's")
  func logoutAtOnce() async throws {
    answer(entitlement("remove_ads"))
    let first = client()
    let productIDs = await products(first)
    #expect(productIDs == ["remove_ads"])
    await first.close()
    let file = world.folder.appending(path: "entitlements.json")
    #expect(FileManager.default.fileExists(atPath: file.path))
    let other = try OnsideConfiguration(
      storeURL: URL(string: "https://store.example"), appIdentifier: "io.example.other")
    EntitlementFile(other, dependencies: world.dependencies()).erase()
    #expect(FileManager.default.fileExists(atPath: file.path))
    let second = client()
    second.logout()
    await second.close()
    #expect(!FileManager.default.fileExists(atPath: file.path))
  }

  @Test("ENT-4: a clock that is set back makes nothing active until the store has been reached")
  func setBack() async {
    answer(entitlement("pro", lasting: 10_000))
    let client = client()
    let productIDs = await products(client)
    #expect(productIDs == ["pro"])
    store.set { $0.entitlements = .failure(.connection) }
    await untilAsleep()
    world.clock.advance(-7200)
    #expect(await products(client).isEmpty)
    answer(entitlement("pro", lasting: 10_000))
    world.clock.advance(3600)
    #expect(await eventually { await products(client) == ["pro"] })
    await client.close()
  }

  @Test("ENT-4: a clock that is set back while the store can be reached makes nothing inactive")
  func setBackOnline() async {
    answer(entitlement("pro", lasting: 10_000))
    let client = client()
    let before = await products(client)
    #expect(before == ["pro"])
    await untilAsleep()
    answer(entitlement("pro", lasting: 10_000), after: -7200)
    world.clock.advance(-7200)
    let after = await products(client)
    #expect(after == ["pro"])
    #expect(store.now.entitlementQuestions == 2)
    await client.close()
  }

  @Test("ENT-2: the first read after a change of purchases returns the new list, after one request")
  func change() async {
    answer()
    let client = client()
    #expect(await client.entitlements.isEmpty)
    answer(entitlement("remove_ads"))
    client.entitlementController.purchasesChanged()
    let productIDs = await products(client)
    #expect(productIDs == ["remove_ads"])
    #expect(store.now.entitlementQuestions == 2)
    await client.close()
  }

  @Test("ENT-2: the first read after a change of purchases returns the old list when the request fails")
  func changeUnreachable() async {
    answer(entitlement("remove_ads"))
    let client = client()
    _ = await client.entitlements
    store.set { $0.entitlements = .failure(.connection) }
    client.entitlementController.purchasesChanged()
    let productIDs = await products(client)
    #expect(productIDs == ["remove_ads"])
    #expect(store.now.entitlementQuestions == 2)
    await client.close()
  }

  @Test("ENT-6: a logout before the first read deletes the old list before the next login writes its own")
  func logoutThenLogin() async {
    answer(entitlement("remove_ads"))
    let first = client()
    _ = await first.entitlements
    await first.close()
    var dependencies = world.dependencies()
    dependencies.files = LateRemoval()
    let second = OnsideClient(
      configuration: world.configuration(), dependencies: dependencies, store: store, host: OnsideHost())
    second.logout()
    answer(entitlement("skin"))
    store.answerLogin(.success(.bob))
    try? await second.login()
    let productIDs = await products(second)
    #expect(productIDs == ["skin"])
    await second.close()
    let file = world.folder.appending(path: "entitlements.json")
    #expect(FileManager.default.fileExists(atPath: file.path))
  }

  @Test("Updates end with the client")
  func closed() async {
    answer(entitlement("remove_ads"))
    let client = client()
    var updates = client.entitlementUpdates.makeAsyncIterator()
    let nextCount = await updates.next()?.count
    #expect(nextCount == 1)
    await client.close()
    let next = await updates.next()
    #expect(next == nil)
    #expect(await client.entitlements.isEmpty)
  }

  @Test("ENT-2: an account that has bought nothing is told so after its login, in every loop and to every caller")
  func nothing() async {
    store.set { $0.signedIn = nil }
    let client = client()
    #expect(await client.entitlements.isEmpty)
    answer()
    store.answerLogin(.success(.bob))
    try? await client.login()
    #expect(await client.entitlements.isEmpty)
    #expect(store.now.entitlementQuestions == 1)
    var updates = client.entitlementUpdates.makeAsyncIterator()
    let nextIsEmpty = await updates.next()?.isEmpty
    #expect(nextIsEmpty == true)
    await client.close()
  }

  @Test("ENT-5: nothing is done while nothing happens")
  func rests() async {
    answer(entitlement("pro", lasting: 10))
    let client = client()
    let productIDs = await products(client)
    #expect(productIDs == ["pro"])
    for _ in 0..<3 {
      await untilAsleep()
      world.clock.advance(3600)
    }
    await untilAsleep()
    let begun = world.clock.begun
    for _ in 0..<200 { await Task.yield() }
    #expect(world.clock.begun == begun)
    await client.close()
  }

  /// Waits until nothing is to be done before the clock moves.
  private func untilAsleep() async { _ = await eventually { world.clock.sleepers > 0 } }
}

/// The file system of this machine, which deletes a file once the next rename has ended, or after half a second.
private final class LateRemoval: FileSystem {
  private let files = SystemFiles()
  private let isRenamed = DispatchSemaphore(value: 0)

  func makeFolder(_ folder: String) throws { try files.makeFolder(folder) }
  func names(in folder: String) throws -> [String] { try files.names(in: folder) }
  func read(_ file: String) throws -> Data? { try files.read(file) }
  func write(_ content: Data, to file: String) throws { try files.write(content, to: file) }
  func rename(_ file: String, to newName: String) throws {
    try files.rename(file, to: newName)
    isRenamed.signal()
  }
  func remove(_ file: String) throws {
    _ = isRenamed.wait(timeout: .now() + 0.5)
    try files.remove(file)
  }
  func flush(_ folder: String) throws { try files.flush(folder) }
  func lock(_ file: String) throws -> any Sendable { try files.lock(file) }
}
