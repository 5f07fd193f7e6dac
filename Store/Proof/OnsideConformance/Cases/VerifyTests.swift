import ConformanceTable
import Foundation
import OnsideCommerce
import OnsideKit
import OnsideStore
import OnsideVerify
import StoreSales
import StoreTestSupport
import Synchronization
import Testing

@MainActor
@Suite(
  "Servers of merchants", .serialized,
  .columns(.store, because: "a local store signs no history (HIS-2)"), .timeLimit(.minutes(5)))
struct VerifyTests {
  @Test(
    "VER-1, VER-2: a merchant's server verifies a history and a receipt with the store's keys, offline from then on")
  func verifies() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let coins = try await device.buy(ExampleProducts.coins, token: "alice")
      let monthly = try await device.buy(ExampleProducts.monthly, token: "bob")
      let history = try await device.signedHistory()
      let receipt = try #require(coins.signedPurchase)

      let keys = try RemoteKeySet(storeURL: system.network.address)
      let server = OnsideVerifier(bundleID: TestedSystem.app, environment: .sandbox, keys: keys)
      let orderIDs = try await Set(server.verifyHistory(history).transactions.map(\.orderID))
      #expect(orderIDs == [coins.id, monthly.id])
      await system.closeStore()
      let alice = try await server.verifyHistory(history, appAccountToken: "alice", maximumAge: 3600)
      #expect(alice.transactions.map(\.orderID) == [coins.id])
      let purchase = try await server.verifyReceipt(receipt, appAccountToken: "alice")
      #expect(purchase.orderID == coins.id)
      let subject = try #require(purchase.subject)
      let both = try await server.verifyHistory(history, subject: subject).transactions.map(\.orderID)
      #expect(Set(both) == [coins.id, monthly.id])

      let code = await server.code(of: receipt, token: "bob")
      #expect(code == .wrongAccount)
      let production = OnsideVerifier(bundleID: TestedSystem.app, keys: keys)
      let secondCode = await production.code(of: receipt)
      #expect(secondCode == .wrongEnvironment)
      let other = OnsideVerifier(bundleID: "io.example.other", environment: .sandbox, keys: keys)
      let thirdCode = await other.code(of: receipt)
      #expect(thirdCode == .wrongApp)
      let parts = receipt.split(separator: ".")
      let forged = "\(parts[0]).\(parts[1].replacing("a", with: "b", maxReplacements: 1)).\(parts[2])"
      let fourthCode = await server.code(of: forged)
      #expect(fourthCode == .wrongSignature)
    }
  }

  @Test("ENT-6, VER-1, VER-2: it verifies the list of what may be used that the app hands on; logged out there is none")
  func entitlements() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      _ = try await device.buy(ExampleProducts.adFree, token: "alice")
      _ = try await device.buy(ExampleProducts.monthly, token: "bob")
      try await NamedDeadline.wait(for: "two entitlements") { await device.client.entitlements.count == 2 }
      let signed = try #require(await device.client.signedEntitlements)
      let keys = try RemoteKeySet(storeURL: system.network.address)
      let server = OnsideVerifier(bundleID: TestedSystem.app, environment: .sandbox, keys: keys)
      let list = try await server.verifyEntitlementList(signed, appAccountToken: "alice")
      #expect(list.entitlements.map(\.productID) == [ExampleProducts.adFree])
      #expect(list.entitlements.allSatisfy { $0.isActive(at: Date()) })
      await #expect(throws: VerificationError.self) { try await server.verifyHistory(signed) }
      device.client.logout()
      let signedEntitlements = await device.client.signedEntitlements
      #expect(signedEntitlements == nil)
    }
  }

  @Test("VER-3: a merchant's server that keeps the keys verifies what the store signs after a rotation")
  func rotation() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let before = try #require(try await device.buy(ExampleProducts.coins).signedPurchase)
      let time = Mutex(Date())
      let keys = try RemoteKeySet(storeURL: system.network.address, now: { time.withLock { $0 } })
      let server = OnsideVerifier(bundleID: TestedSystem.app, environment: .sandbox, keys: keys)
      let code = await server.code(of: before)
      #expect(code == nil)

      // Two rotations: the key that signs then was not yet published when the server fetched the keys.
      for _ in 1...2 {
        try await system.letTimePass(seconds: 3600)
        device.advance(seconds: 3600)
        _ = try await system.operate { try await $0.signingKeys.rotate() }
      }
      let after = try await device.signedHistory()
      time.withLock { $0 += 30 }
      let transactionCount = try await server.verifyHistory(after).transactions.count
      #expect(transactionCount == 1)
      let secondCode = await server.code(of: before)
      #expect(secondCode == nil)
    }
  }
}

extension OnsideVerifier {
  /// The code of the error for a receipt; nil when it is right.
  fileprivate func code(of receipt: String, token: String? = nil) async -> VerificationError.Code? {
    do throws(VerificationError) {
      _ = try await verifyReceipt(receipt, appAccountToken: token)
      return nil
    } catch { return error.code }
  }
}

extension TestedDevice {
  fileprivate func signedHistory() async throws -> String {
    try #require(try await client.signedInAppsHistory().string)
  }
}
