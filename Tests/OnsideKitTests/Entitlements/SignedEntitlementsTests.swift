import Crypto
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideVerify
import Synchronization
import Testing

@testable import OnsideKit

/// Lists over HTTP, as a store signs them, and on disk.
@Suite("The signed list of entitlements", .timeLimit(.minutes(5)))
struct SignedEntitlementsTests {
  private static let app = "io.example.lumen"

  /// What the store has: a key that signs, the keys that it publishes, and the list.
  private final class Signer: Sendable {
    private struct State {
      var key = P256.Signing.PrivateKey()
      var published: [P256.Signing.PrivateKey] = []
      var list: EntitlementList
      /// The answer that is given to every request.
      var recorded: String?
      var last = ""
      var isDown = false
    }
    private let state: Mutex<State>

    init(_ list: EntitlementList) {
      state = Mutex(State(list: list))
      state.withLock { $0.published = [$0.key] }
    }

    func change(_ body: (inout EntitlementList) -> Void) { state.withLock { body(&$0.list) } }

    /// Signs with another key from now on, which the store publishes or does not.
    func rotate(published: Bool = true) {
      state.withLock { state in
        state.key = P256.Signing.PrivateKey()
        if published { state.published.append(state.key) }
      }
    }

    /// Answers no request from now on.
    func stop() { state.withLock { $0.isDown = true } }

    /// Gives the last answer to every request from now on.
    func playAgain() { state.withLock { $0.recorded = $0.last } }

    func answer(_ request: HTTPServerDouble.Request) -> HTTPServerDouble.Answer {
      if state.withLock({ $0.isDown }) { return .json(503, "") }
      return switch request.path {
      case Route.entitlements.path: .json(200, (try? signed(for: request.query["nonce"]?.first)) ?? "")
      case Route.jwks.path: .json(200, keys)
      default: .json(404, "")
      }
    }

    private func signed(for nonce: String?) throws -> String {
      change { $0.nonce = nonce }
      let state = state.withLock { $0 }
      if let recorded = state.recorded { return recorded }
      let header = #"{"alg":"ES256","kid":"\#(Self.id(state.key))","typ":"\#(EntitlementList.type)"}"#
      let payload = try Array(TransactionHistory.encoder.encode(state.list))
      let message = Base64URL.encode(Array(header.utf8)) + "." + Base64URL.encode(payload)
      let signature = try state.key.signature(for: Data(message.utf8)).rawRepresentation
      let answer = message + "." + Base64URL.encode(Array(signature))
      self.state.withLock { $0.last = answer }
      return answer
    }

    private var keys: String {
      let keys = state.withLock { $0.published }.map { key in
        let point = Array(key.publicKey.rawRepresentation)
        let (x, y) = (Base64URL.encode(Array(point.prefix(32))), Base64URL.encode(Array(point.suffix(32))))
        return #"{"kty":"EC","crv":"P-256","alg":"ES256","kid":"\#(Self.id(key))","x":"\#(x)","y":"\#(y)"}"#
      }
      return #"{"keys":[\#(keys.joined(separator: ","))]}"#
    }

    private static func id(_ key: P256.Signing.PrivateKey) -> String {
      Base64URL.encode(Array(SHA256.hash(data: key.publicKey.rawRepresentation)))
    }
  }

  private static func list(of account: SignedIn = .alice, app: String = app, at now: Date) -> EntitlementList {
    EntitlementList(
      bundleID: app, environment: .production,
      subject: account == .alice ? SignedIn.aliceSubject : SignedIn.bobSubject, issuedAt: now,
      validUntil: now + EntitlementList.lifetime,
      entitlements: [
        Entitlement(productID: "remove_ads", productType: .nonConsumable, orderID: UUID(), purchaseDate: now)
      ])
  }

  private static func harness() throws -> (RemoteHarness, Signer) {
    let world = ClientHarness()
    let signer = Signer(list(at: world.clock.now))
    let harness = try RemoteHarness(world: world) { signer.answer($0) }
    try harness.signIn(lasting: 1_000_000)
    return (harness, signer)
  }

  private static func fetch(_ harness: RemoteHarness, keys: Data? = nil) async throws -> SignedEntitlements {
    try await harness.store().entitlements(of: SignedIn.alice.accountID, verifiedWith: keys)
  }

  @Test("ENT-6: a list is verified with the store's keys, which are fetched once and again for a new key")
  func keys() async throws {
    let (harness, signer) = try Self.harness()
    let first = try await Self.fetch(harness)
    #expect(first.list.entitlements.map(\.productID) == ["remove_ads"])
    _ = try await Self.fetch(harness, keys: first.proof.keys)
    #expect(harness.server.requests(Route.jwks.path).count == 1)
    signer.rotate()
    let second = try await Self.fetch(harness, keys: first.proof.keys)
    #expect(second.proof.keys != first.proof.keys && harness.server.requests(Route.jwks.path).count == 2)
    signer.rotate(published: false)
    await #expect(throws: StoreError.self) { try await Self.fetch(harness, keys: second.proof.keys) }
  }

  @Test("ENT-4: a list that was made for another request is not taken")
  func replayed() async throws {
    let (harness, signer) = try Self.harness()
    _ = try await Self.fetch(harness)
    signer.playAgain()
    await #expect(throws: StoreError.self) { try await Self.fetch(harness) }
  }

  @Test("ENT-6: a list of another account or another app is refused")
  func others() async throws {
    let (harness, signer) = try Self.harness()
    signer.change { $0 = Self.list(of: .bob, at: $0.issuedAt) }
    await #expect(throws: StoreError.self) { try await Self.fetch(harness) }
    signer.change { $0 = Self.list(app: "io.example.other", at: $0.issuedAt) }
    await #expect(throws: StoreError.self) { try await Self.fetch(harness) }
  }

  @MainActor
  @Test("ENT-4: steps back between launches without a network are added up")
  func stepsBetweenLaunches() async throws {
    let (harness, signer) = try Self.harness()
    let (world, clock) = (harness.world, harness.world.clock)
    let configuration = world.configuration(harness.server.url)
    let file = EntitlementFile(configuration, dependencies: world.dependencies())
    for launch in 1...3 {
      let client = OnsideClient(configuration: configuration, dependencies: world.dependencies())
      let isActive = await client.entitlements.contains(where: \.isActive)
      #expect(isActive == (launch < 3), "launch \(launch)")
      signer.stop()
      clock.advance(59 * 60)
      client.entitlementController.purchasesChanged()
      #expect(await eventually { file.read(of: SignedIn.alice.accountID)?.known.seen == clock.now })
      await client.close()
      clock.advance(-59 * 60)
    }
  }

  @MainActor
  @Test("ENT-3: the next launch has the list without a network, and refuses one that was changed on disk")
  func offline() async throws {
    let (harness, _) = try Self.harness()
    let first = OnsideClient(
      configuration: harness.world.configuration(harness.server.url), dependencies: harness.world.dependencies())
    let productIdentifiers = await first.entitlements.map(\.productIdentifier)
    #expect(productIdentifiers == ["remove_ads"])
    await first.close()

    let file = harness.world.folder.appending(path: "entitlements.json")
    for isChanged in [false, true] {
      if isChanged {
        let text = try String(contentsOf: file, encoding: .utf8)
        let dot = try #require(text.firstIndex(of: "."))
        let next = text.index(dot, offsetBy: 40)
        var changed = text
        changed.replaceSubrange(next...next, with: text[next] == "A" ? "B" : "A")
        try Data(changed.utf8).write(to: file)
      }
      let known = EntitlementFile(
        harness.world.configuration(harness.server.url), dependencies: harness.world.dependencies()
      ).read(of: SignedIn.alice.accountID)
      #expect((known == nil) == isChanged)
    }
  }
}
