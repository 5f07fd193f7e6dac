import ConformanceTable
import Foundation
import NIOHTTP1
import OnsideAPI
import OnsideKit
import OnsideStore
import Testing

/// What the store over HTTP promises, with devices that use it.
@MainActor
@Suite(
  "The store", .serialized, .columns(.store, because: "there is no store over HTTP"), .timeLimit(.minutes(5)))
struct StoreTests {
  @Test("STO-3: after purchases, declined cards, cancels and refunds the books balance")
  func books() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let kept = try await device.buy(ExampleProducts.coins)
      try await system.refund(try await device.buy(ExampleProducts.adFree))
      device.user.next(.payment) { try await $0.cancel() }
      try await device.add(ExampleProducts.season)
      _ = try await device.app.first(.failed)
      #expect(try await system.core.dependencies.database.read { try Reconciliation($0).faults() } == [])
      #expect(try await system.sales().count == 2)
      try await device.finish(kept)
    }
  }

  @Test("STO-10: a store that stops answers what it has accepted; what was paid is there when it comes back")
  func stops() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let first = try await device.buy(ExampleProducts.coins)
      await system.closeStore()
      try await system.openStore()
      #expect(try await system.booked(of: device.user).map(\.id) == [first.id])
      _ = try await device.buy(ExampleProducts.season)
      #expect(try await system.sales().count == 2)
    }
  }

  @Test("STO-11, HIS-1: a history signed before the keys rotate is verified afterwards, and one signed then too")
  func rotation() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      _ = try await device.buy(ExampleProducts.coins)
      // A key is published for a day before it signs.
      try await system.letTimePass(seconds: 2 * 86400)
      device.advance(seconds: 2 * 86400)
      let before = try #require(try await device.client.signedInAppsHistory().string)
      _ = try await system.operate { try await $0.signingKeys.rotate() }
      let after = try #require(try await device.client.signedInAppsHistory().string)
      let keys = try await RunningStore(address: system.network.address, app: nil).ask(.GET, Route.jwks.path).text
      for history in [before, after] { #expect(keys.contains(try history.keyIdentifier)) }
      #expect(try before.keyIdentifier != after.keyIdentifier)
    }
  }

  @Test("SEC-1: numbers, codes and tokens are in no warning of the SDK, whatever fails")
  func logs() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let secret = try StolenSession(from: device).refreshToken
      system.network.disturb(.sdk, with: .answer(200, "<html>"))
      _ = try? await device.product(ExampleProducts.coins)
      device.client.logout()
      system.network.heal()
      for line in device.warnings {
        #expect(!line.contains(secret) && !line.contains("612345678"))
      }
    }
  }
}

extension String {
  /// The `kid` of a compact JWS.
  fileprivate var keyIdentifier: String {
    get throws {
      let data = Data(try #require(Base64URL.decode(split(separator: ".")[0])))
      let header = try JSONSerialization.jsonObject(with: data)
      return try #require((header as? [String: Any])?["kid"] as? String)
    }
  }
}
