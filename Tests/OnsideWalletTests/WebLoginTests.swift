import Foundation
import OnsideWallet
import Stellar
import Synchronization
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@Suite("Logging in by SEP-10", .timeLimit(.minutes(5)))
struct WebLoginTests {
  /// A store of a few lines, at https://store.example, whose faults a test chooses.
  private struct Store: Sendable {
    let pair = SigningKeyPair.random()
    var network = Network.test
    /// What the challenge says of the network.
    var namedNetwork: Network?
    /// Whether challenges, and the domain, say which network they are for.
    var namesNetwork = true
    var challengeDomain = "store.example"
    var endpoint = "https://store.example/auth"
    var challengeTime: UInt64 = 1_000_000
    var challengeFor: AccountAddress?
    var subject: String?
    var refusal: String?
    var status = 200

    func answer(_ request: URLRequest) throws -> (status: Int, body: Data) {
      let url = try #require(request.url)
      if url.path() == "/.well-known/stellar.toml" {
        let facts = StellarInformation(
          signingKey: pair.account, webAuthEndpoint: endpoint, network: namesNetwork ? network : nil)
        return (status, Data(facts.text.utf8))
      }
      if let refusal { return (400, try JSONEncoder().encode(["error": refusal])) }
      let query = URLComponents(url: url, resolvingAgainstBaseURL: false)?.queryItems
      if request.httpMethod == "GET" {
        let account = try AccountAddress(try #require(query?.first { $0.name == "account" }?.value))
        return (200, try challenge(for: challengeFor ?? account))
      }
      let body = try JSONDecoder().decode([String: String].self, from: try #require(request.httpBody))
      let proved = try rules.verify(try #require(body["transaction"]), now: challengeTime)
      let claims = try JSONEncoder().encode(["sub": subject ?? proved.subject]).base64EncodedString()
      return (200, try JSONSerialization.data(withJSONObject: ["token": "e30.\(claims).c2ln", "has_account": true]))
    }

    private var rules: WebAuthentication {
      get throws {
        try WebAuthentication(
          server: pair.account, homeDomain: challengeDomain, webAuthDomain: "store.example", network: network)
      }
    }

    private func challenge(for account: AccountAddress) throws -> Data {
      let challenge = try rules.challenge(
        for: MuxedAccount(account), nonce: Array(0..<48), now: challengeTime, signedBy: pair)
      guard namesNetwork else { return try JSONEncoder().encode(["transaction": challenge.envelope.base64]) }
      let passphrase = (namedNetwork ?? network).passphrase
      return try JSONEncoder().encode(
        ["transaction": challenge.envelope.base64, "network_passphrase": passphrase])
    }
  }

  private let pair = SigningKeyPair.random()

  private func logIn(_ store: Store, at address: String = "https://store.example") async throws -> WebLoginOutcome {
    let login = try WebLogin(
      store: try #require(URL(string: address)), network: .test, now: { Date(timeIntervalSince1970: 1_000_100) },
      exchange: { try store.answer($0) })
    let challenge = try await login.challenge(for: pair.account)
    return try await login.exchange(try login.sign(challenge, with: pair), of: challenge)
  }

  /// The name of the error that a login ends with, and its words.
  private func refusal(_ store: Store) async -> (String, String) {
    do {
      _ = try await logIn(store)
      return ("none", "")
    } catch {
      return ((error as? WebLoginError)?.kind.name ?? "another", "\(error)")
    }
  }

  @Test("WAL-15: a server that does not say its network logs in, and one of another network does not")
  func silentServer() async throws {
    var store = Store()
    store.namesNetwork = false
    let hasAccount = try await logIn(store).hasAccount
    #expect(hasAccount == true)
    store.network = .public
    let error = await #expect(throws: WebLoginError.self) { try await logIn(store) }
    #expect(error?.kind == .challenge)
  }

  @Test("WAL-11: a good challenge is signed and gives a token, which prints as redacted")
  func good() async throws {
    let outcome = try await logIn(Store())
    #expect(outcome.hasAccount == true && outcome.token.text.hasPrefix("e30."))
    #expect("\(outcome)".contains("redacted") && !"\(outcome)".contains("e30."))
    #expect(!String(reflecting: outcome).contains("e30."))
    var dumped = ""
    dump(outcome, to: &dumped)
    #expect(!dumped.contains("e30."))
  }

  @Test("WAL-11: who has a path of a domain is not the domain: its stellar.toml lies at the root")
  func path() async throws {
    let hasAccount = try await logIn(Store(), at: "https://store.example/~tenant").hasAccount
    #expect(hasAccount == true)
  }

  @Test("WAL-11: another network, another domain, another time, another account: each is refused by its name")
  func refused() async throws {
    var store = Store()
    store.network = .public
    let value = await refusal(store).0
    #expect(value == "network")
    store = Store()
    store.namedNetwork = .public
    let secondValue = await refusal(store).0
    #expect(secondValue == "network")
    store = Store()
    store.challengeDomain = "other.example"
    let thirdValue = await refusal(store).0
    #expect(thirdValue == "domain")
    for time in [1_000_100 - 901, 1_000_100 + 61] as [UInt64] {
      store = Store()
      store.challengeTime = time
      let (kind, words) = await refusal(store)
      #expect(kind == "expired" && words.contains("1970-01-12T13:48:20Z"), "\(words)")
    }
    store = Store()
    store.challengeFor = SigningKeyPair.random().account
    let fourthValue = await refusal(store).0
    #expect(fourthValue == "challenge")
  }

  @Test("WAL-11: what the store says is shown without what could mislead the eye; strange answers are refused")
  func answers() async throws {
    var store = Store()
    store.refusal = "no\u{1b}[2J\u{202e}thing"
    let (kind, words) = await refusal(store)
    #expect(kind == "refused" && words.contains(#"no\u{1b}[2J\u{202e}thing"#), "\(words)")
    store = Store()
    store.subject = "GABC"
    let value = await refusal(store).0
    #expect(value == "answer")
    store = Store()
    store.endpoint = "http://store.example/auth"
    let secondValue = await refusal(store).0
    #expect(secondValue == "answer")
    store = Store()
    store.status = 404
    let thirdValue = await refusal(store).0
    #expect(thirdValue == "notOffered")
    await #expect(throws: WebLoginError.self) { try await logIn(Store(), at: "http://store.example") }
  }

  @Test("WAL-11: a challenge that grows old while the PIN is typed is not signed")
  func grownOld() async throws {
    let (store, clock) = (Store(), Clock(time: 1_000_000))
    let login = try WebLogin(
      store: try #require(URL(string: "https://store.example")), network: .test, now: { clock.now },
      exchange: { try store.answer($0) })
    let challenge = try await login.challenge(for: pair.account)
    _ = try login.sign(challenge, with: pair)
    clock.advance(901)
    #expect(throws: WebLoginError.self) { try login.sign(challenge, with: pair) }
  }

  private final class Clock: Sendable {
    private let time: Mutex<TimeInterval>
    init(time: TimeInterval) { self.time = Mutex(time) }
    var now: Date { Date(timeIntervalSince1970: time.withLock { $0 }) }
    func advance(_ seconds: TimeInterval) { time.withLock { $0 += seconds } }
  }
}
