import ConformanceTable
import Foundation
import JWTKit
import OnsideAPI
import OnsideCommerce
import OnsideKit
import StoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@MainActor
@Suite(
  "Histories", .serialized, .columns(.store, because: "a local store signs no history (HIS-2)"), .timeLimit(.minutes(5))
)
struct HistoryTests {
  @Test(
    "HIS-1, QUE-18: the history verifies offline with the store's keys and a foreign library, and says what was bought")
  func verifies() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let token = "user 4711 “e\u{301}” \\\"<&>"
      let first = try await device.buy(ExampleProducts.coins, token: token)
      let second = try await device.buy(ExampleProducts.monthly)
      try await system.refund(first)
      let text = try #require(try await device.client.signedInAppsHistory().string)
      let (data, _) = try await URLSession.shared.answer(
        to: URLRequest(url: system.network.address.appending(path: Route.jwks.path)))
      let keys = JWTKeyCollection()
      try await keys.add(jwksJSON: String(decoding: data, as: UTF8.self))
      await system.closeStore()

      let payload = try await keys.verify(text, as: Payload.self)
      let purchases = Dictionary(uniqueKeysWithValues: payload.history.transactions.map { ($0.orderID, $0) })
      #expect(Set(purchases.keys) == [first.id, second.id])
      let coins = try #require(purchases[first.id])
      #expect(coins.appAccountToken.map { Array($0.utf8) } == Array(token.utf8))
      #expect(coins.price == Money(minorUnits: 199, currency: .eur))
      #expect(
        coins.bundleID == TestedSystem.app && coins.productID == ExampleProducts.coins
          && coins.userCountry == .netherlands)
      #expect(coins.revocation != nil && purchases[second.id]?.revocation == nil)
      #expect(purchases[second.id]?.expiresAt == second.expirationDate)

      let parts = text.split(separator: ".").map(String.init)
      let header = Data(try #require(Base64URL.decode(parts[0])))
      let fields = try #require(try JSONSerialization.jsonObject(with: header) as? [String: Any])
      #expect(fields["alg"] as? String == "ES256")
      #expect((fields["kid"] as? String)?.isEmpty == false)
      let forged = [parts[0], parts[1].replacing("a", with: "b", maxReplacements: 1), parts[2]].joined(separator: ".")
      await #expect(throws: (any Error).self) { try await keys.verify(forged, as: Payload.self) }

      // The receipt in a transaction is signed alike.
      let receipt = try #require(second.signedPurchase)
      let orderIDs = try await keys.verify(receipt, as: Payload.self).history.transactions.map(\.orderID)
      #expect(orderIDs == [second.id])
    }
  }

  @Test("HIS-1: a history tells of its own account's purchases only")
  func ownOnly() async throws {
    try await TestedSystem.run { system in
      let alice = try await system.signedInDevice(of: system.user("+31612345671"))
      let bob = try await system.signedInDevice(of: system.user("+31612345672"))
      let bought = try await alice.buy(ExampleProducts.coins)
      let transactions = try await bob.history().transactions
      #expect(transactions.isEmpty)
      let orderIDs = try await alice.history().transactions.map(\.orderID)
      #expect(orderIDs == [bought.id])
    }
  }
}

private struct Payload: JWTPayload {
  let history: TransactionHistory

  init(from decoder: any Decoder) throws { history = try TransactionHistory(from: decoder) }
  func encode(to encoder: any Encoder) throws { try history.encode(to: encoder) }
  func verify(using algorithm: some JWTAlgorithm) async throws {}
}

extension TestedDevice {
  /// The history as it is told, its signature not looked at.
  fileprivate func history() async throws -> TransactionHistory {
    let text = try #require(try await client.signedInAppsHistory().string)
    let body = Data(try #require(Base64URL.decode(text.split(separator: ".")[1])))
    return try JSONDecoder().decode(TransactionHistory.self, from: body)
  }
}
