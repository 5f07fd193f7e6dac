import ConformanceTable
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import OnsideAPI
import OnsideCommerce
import OnsideKit
import OnsideStore
import OnsideVerify
import StoreBase
import StoreSales
import StoreTestSupport
import StripeDouble
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
      device.user.next(.payment) { visit in
        let page = try await visit.paid(with: "declined", on: try await visit.open())
        return try await visit.cancel(on: page)
      }
      try await device.add(ExampleProducts.season)
      _ = try await device.app.first(.failed)
      let faults = try await system.core.dependencies.database.read { try Reconciliation($0).faults() }
      #expect(faults == [])
      let tries = try await system.core.dependencies.database.read { try $0.rows("SELECT state FROM payments") }
      #expect(tries.count == 3, "one of them was declined")
      let sales = try await system.sales()
      #expect(sales.count == 2)
      try await device.finish(kept)
    }
  }

  @Test("STO-22: a running store numbers the receipts of sales in their order, without a gap")
  func receiptNumbers() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      var sold: [String] = []
      for _ in 0..<3 {
        let bought = try await device.buy(ExampleProducts.coins)
        sold.append(bought.id.uuidString.lowercased())
        try await device.finish(bought)
      }
      let database = system.core.dependencies.database
      try await NamedDeadline.wait(for: "the numbers of all sales") {
        try await database.read { try $0.rows("SELECT order_id FROM receipt_numbers WHERE number IS NULL") }.isEmpty
      }
      let numbers = try await database.read { connection in
        try connection.rows("SELECT order_id, number FROM receipt_numbers ORDER BY number").map {
          "\(try $0.integer("number")) \(try $0.text("order_id"))"
        }
      }
      #expect(numbers == sold.enumerated().map { "\($0 + 1) \($1)" })
    }
  }

  @Test("STO-10: a store that stops answers the payment in flight, and has it when it starts again")
  func stops() async throws {
    try await TestedProvider.stripe.run { system, cashier in
      let stripe = try #require(cashier.stripe)
      let device = try await system.signedInDevice(of: system.user())
      let (gate, outcome) = (StripeGate(), Observed<ScreenOutcome?>(nil))
      device.user.next(.payment) { visit in
        // The store asks Stripe for the payment before it answers the buyer's browser.
        let result = try await cashier.pay(
          visit, with: .accepted, seeing: { _ in stripe.next(.held(gate), on: "GET payment_intents/*") })
        outcome.change { $0 = result }
        return result
      }
      try await device.add(ExampleProducts.coins)
      await gate.reached()
      let addresses = system.addresses
      async let stopped: Void = system.closeStore()
      try await NamedDeadline.wait(for: "a store that accepts no connection") { await !addresses.areOpen() }
      gate.open()
      await stopped
      try await NamedDeadline.wait(for: "an answer to the payment in flight") { outcome.value != nil }
      guard case .redirected = outcome.value else {
        Issue.record("expected a redirect to the app, got \(String(describing: outcome.value))")
        return
      }
      try await system.openStore()
      let bought = try await device.app.first(.purchased)
      let sales = try await system.sales()
      #expect(sales.map(\.orderID) == [bought.id])
    }
  }

  @Test("STO-11, HIS-1: after a rotation the published keys verify a history of before it and one of after it")
  func rotation() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let bought = try await device.buy(ExampleProducts.coins)
      // A key is published for a day before it signs.
      try await system.letTimePass(seconds: 2 * 86400)
      device.advance(seconds: 2 * 86400)
      let before = try #require(try await device.client.signedInAppsHistory().string)
      _ = try await system.operate { try await $0.signingKeys.rotate() }
      let after = try #require(try await device.client.signedInAppsHistory().string)
      let (old, new) = (try before.keyIdentifier, try after.keyIdentifier)
      #expect(old != new)
      let server = OnsideVerifier(
        bundleID: TestedSystem.app, environment: .sandbox, keys: try RemoteKeySet(storeURL: system.network.address))
      for text in [before, after] {
        let history = try await server.verifyHistory(text)
        #expect(history.transactions.map(\.orderID) == [bought.id])
      }
    }
  }

  @Test("SEC-1: the user's number and refresh token are in no log line of a device whose login the store ends")
  func logs() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let secret = try StolenSession(from: device).refreshToken
      system.network.disturb(.sdk, with: .answer(200, "<html>"))
      await #expect(throws: OnsideProductsRequestError.self) { try await device.product(ExampleProducts.coins) }
      system.network.heal()
      _ = try await system.post(.revoke, fields: ["token": secret, "client_id": TestedSystem.app])
      device.advance(seconds: 700)
      await #expect(throws: OnsideSignedInAppsHistoryRequestError.notLoggedIn) {
        try await device.client.signedInAppsHistory()
      }
      let log = device.logText
      #expect(log.contains("The store has ended the login"), "the log has lines")
      #expect(!log.contains(secret) && !log.contains("612345678"))
    }
  }
}

extension [URL] {
  /// True while a server at one of the addresses accepts connections.
  fileprivate func areOpen() async -> Bool {
    for address in self {
      let bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
      guard let channel = try? await bootstrap.connect(host: "127.0.0.1", port: address.port ?? 0).get() else {
        continue
      }
      try? await channel.close()
      return true
    }
    return false
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
