import Foundation
import OnsideCommerce
import Synchronization
import Testing

@testable import OnsideKit

/// Where a published error has one case only, the waiting forms and the bridge say what was really in the way.
@MainActor
@Suite("Reasons of failures", .timeLimit(.minutes(5)))
struct FailureReasonTests {
  private static let load = #"{"productIdentifiers":["\#(LocalFile.coins)"]}"#
  private static let buy = #"{"productIdentifier":"\#(LocalFile.coins)"}"#

  @Test("JSB-3: offline, a login, a purchase and a restore say so; their completions keep the published case")
  func offline() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView())
    _ = await page.call("loadProducts", with: Self.load)
    let coins = try #require(harness.bridge.products[LocalFile.coins])
    harness.store.isOffline = true
    let resultCode = await page.call("requestLogin").code
    #expect(resultCode == "offline")
    let secondResultCode = await page.call("restoreCompletedTransactions").code
    #expect(secondResultCode == "offline")
    let thirdResultCode = await page.call("purchase", with: Self.buy).code
    #expect(thirdResultCode == "offline")
    let queue = harness.client.defaultPaymentQueue()
    await #expect(throws: OnsideFailure.offline) { try await harness.client.login() }
    await #expect(throws: OnsideFailure.offline) { try await queue.restoreCompletedTransactions() }
    await #expect(throws: OnsideFailure.offline) { try await queue.add(OnsidePayment(product: coins)) }
    let published = await withCheckedContinuation { done in
      queue.add(OnsidePayment(product: coins)) { done.resume(returning: $0) }
    }
    #expect(published.failure == .loginDiscarded)
    harness.store.isOffline = false
    harness.shopper.set { $0.name = nil }
    await #expect(throws: OnsideLoginError.loginDiscarded) { try await harness.client.login() }
    let rejection = await page.call("requestLogin").rejection
    #expect(rejection == ["loginDiscarded"])
  }

  @Test("JSB-3, QUE-7: a full disk is said to be full, and a folder that another process uses to be in use")
  func storage() async throws {
    let disk = FullDisk()
    let harness = try StorageRig(disk)
    let page = PageDouble(harness.bridge.makeView())
    _ = await page.call("requestLogin")
    _ = await page.call("loadProducts", with: Self.load)
    disk.isFull.withLock { $0 = true }
    let resultCode = await page.call("purchase", with: Self.buy).code
    #expect(resultCode == "storageFull")
    let coins = try #require(harness.bridge.products[LocalFile.coins])
    await #expect(throws: OnsideFailure.storageFull) {
      try await harness.client.defaultPaymentQueue().add(OnsidePayment(product: coins))
    }
    disk.isFull.withLock { $0 = false }
    #expect(await page.call("purchase", with: Self.buy).isFulfilled)

    // A second client of the folder stands for a second process.
    let second = OnsideClient(localStore: harness.store, dependencies: harness.dependencies)
    await #expect(throws: OnsideFailure.storageInUse) {
      try await second.defaultPaymentQueue().add(OnsidePayment(product: coins))
    }
    await second.close()
    await harness.close()
  }

  @Test("JSB-3: a purchase that the store refuses, such as a lower plan beside a higher one, fails as notAvailable")
  func refused() async throws {
    let harness = try BridgeHarness()
    let page = PageDouble(harness.bridge.makeView())
    _ = await page.call(
      "loadProducts", with: #"{"productIdentifiers":["\#(LocalFile.yearly)","\#(LocalFile.monthly)"]}"#)
    let states = { harness.client.queue.transactions.map(\.transactionState) }
    #expect(await page.call("purchase", with: #"{"productIdentifier":"\#(LocalFile.yearly)"}"#).isFulfilled)
    #expect(await eventually { states() == [.purchased] })
    #expect(await page.call("purchase", with: #"{"productIdentifier":"\#(LocalFile.monthly)"}"#).isFulfilled)
    #expect(await eventually { states() == [.purchased, .failed] })
    #expect(harness.client.queue.transactions.last?.failure == .notAvailable)
    let told = { page.events.flatMap { $0["argument"]?.items ?? [] } }
    #expect(await eventually { told().contains { $0["failureCode"]?.text == "notAvailable" } })
    #expect(told().allSatisfy { ($0["failureCode"] == nil) == ($0["transactionState"]?.text != "failed") })
  }

  @Test("JSB-3: every reason is a code of the bridge's errors, and says what to do")
  func codes() {
    let all: [OnsideFailure] = [
      .offline, .serviceUnavailable, .notAvailable, .presentationFailed, .storageFull, .storageInUse,
      .storageUnavailable, .internalError,
    ]
    for failure in all {
      #expect(BridgeError(failure).code.rawValue == failure.code)
      #expect(failure.description.hasPrefix("expected "))
      #expect(BridgeScript.typeDeclarations.contains("'\(failure.code)'"))
    }
  }
}

/// An app without dialogs whose disk can fill up.
@MainActor
private struct StorageRig {
  let dependencies: Dependencies
  let store: LocalStore
  let client: OnsideClient
  let bridge: OnsideBridge
  private let world = ClientHarness()

  init(_ disk: FullDisk) throws {
    var dependencies = world.dependencies()
    dependencies.files = disk
    self.dependencies = dependencies
    store = LocalStore(
      try LocalFile.configuration(#""_disableDialogs" : true"#), dependencies: dependencies, keepsPurchases: false)
    client = OnsideClient(localStore: store, dependencies: dependencies)
    bridge = OnsideBridge(client: client)
  }

  func close() async {
    await client.close()
    await store.close()
  }
}

/// The system's files, until the disk is full.
private final class FullDisk: FileSystem {
  let isFull = Mutex(false)
  private let files = SystemFiles()

  func makeFolder(_ folder: String) throws { try files.makeFolder(folder) }
  func names(in folder: String) throws -> [String] { try files.names(in: folder) }
  func read(_ file: String) throws -> Data? { try files.read(file) }
  func rename(_ file: String, to newName: String) throws { try files.rename(file, to: newName) }
  func remove(_ file: String) throws { try files.remove(file) }
  func flush(_ folder: String) throws { try files.flush(folder) }
  func lock(_ file: String) throws -> any Sendable { try files.lock(file) }

  func write(_ content: Data, to file: String) throws {
    if isFull.withLock({ $0 }) { throw FileSystemFailure(call: "write", path: file, code: ENOSPC) }
    try files.write(content, to: file)
  }
}
