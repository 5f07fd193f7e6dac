import ConformanceTable
import Foundation
import JWTKit
import OnsideAPI
import OnsideKit
import OnsideStore
import OnsideVerify
import StoreAccounts
import StoreMerchants
import StoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@MainActor
@Suite(
  "Histories for merchants' servers", .serialized,
  .columns(.store, because: "a local store signs no history (HIS-2)"), .timeLimit(.minutes(5)))
struct MerchantHistoryTests {
  @Test(
    "MER-1: a server requests a purchase by its order's id, with the JWT of another library, and verifies the answer")
  func history() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let coins = try await device.buy(ExampleProducts.coins, token: "alice")
      _ = try await device.buy(ExampleProducts.monthly, token: "bob")
      let server = try await MerchantServer(of: TestedSystem.app, at: system)
      let token = try await server.token()
      let answer = try await server.history(of: coins.id, token: token)
      #expect(answer.status == 200 && answer.type == "application/jose")
      let verifier = OnsideVerifier(
        bundleID: TestedSystem.app, environment: .sandbox,
        keys: try RemoteKeySet(storeURL: system.network.address))
      let purchases = try await verifier.verifyHistory(answer.body, appAccountToken: "alice").transactions
      #expect(purchases.map(\.orderID) == [coins.id])

      // Several processes take turns: any of them has to know of the first use.
      for _ in 0..<3 {
        let repeated = try await server.history(of: coins.id, token: token)
        #expect(repeated.status == 401 && repeated.body.contains("jti"))
      }
      let old = try await server.token(at: Date().addingTimeInterval(-60))
      let expired = try await server.history(of: coins.id, token: old)
      #expect(expired.status == 401 && expired.body.contains("the store's time"))
      let unknown = try await server.history(of: UUID(), token: try await server.token())
      #expect(unknown.status == 404)
    }
  }

  @Test("MER-1: a server gets no order of another merchant's app")
  func otherApp() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let coins = try await device.buy(ExampleProducts.coins)
      try await system.operate {
        try await $0.apps.register(App(id: "io.example.other", name: "Other", redirectURIs: []))
      }
      let other = try await MerchantServer(of: "io.example.other", at: system)
      let answer = try await other.history(of: coins.id, token: try await other.token())
      #expect(answer.status == 403 && answer.body.contains("forbidden"))
    }
  }
}

/// A merchant's server with a secret of an app, whose JWTs jwt-kit makes.
private struct MerchantServer {
  private struct Claims: JWTPayload {
    let iss: String
    let aud: String
    let sub: String
    let jti: String
    let nbf: Int
    let exp: Int

    func verify(using algorithm: some JWTAlgorithm) async throws {}
  }

  private let merchant: String
  private let store: URL
  private let secretID: String
  private let keys = JWTKeyCollection()

  init(of app: String, at system: TestedSystem) async throws {
    let made = try #require(try await system.core.merchantSecrets.add(app: app))
    (merchant, store, secretID) = (made.entry.merchant, system.network.address, made.entry.id)
    await keys.add(
      hmac: HMACKey(from: made.secret.text), digestAlgorithm: .sha256, kid: JWKIdentifier(string: secretID))
  }

  func token(at now: Date = Date()) async throws -> String {
    let time = Int(now.timeIntervalSince1970)
    let claims = Claims(
      iss: "onside", aud: "onside", sub: merchant, jti: UUID().uuidString, nbf: time - 5, exp: time + 20)
    return try await keys.sign(claims, kid: JWKIdentifier(string: secretID))
  }

  func history(of order: UUID, token: String) async throws -> (status: Int, type: String?, body: String) {
    var request = URLRequest(url: store.appending(path: Route.merchantHistory.path(order.uuidString)))
    request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    let (data, response) = try await URLSession.shared.answer(to: request)
    let answer = response as? HTTPURLResponse
    return (
      answer?.statusCode ?? 0, answer?.value(forHTTPHeaderField: "Content-Type"), String(decoding: data, as: UTF8.self)
    )
  }
}
