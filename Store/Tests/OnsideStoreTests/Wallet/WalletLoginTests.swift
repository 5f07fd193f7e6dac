import Crypto
import Foundation
import HTTPTypes
import HummingbirdTesting
import JWTKit
import NIOCore
import OnsideAPI
import Stellar
import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales

/// A wallet that knows the store by its `stellar.toml`.
struct TestWallet {
  var pair = SigningKeyPair.random()
  var network = Network.test
  var domain = "127.0.0.1:0"

  func rules(_ client: any TestClientProtocol) async throws -> WebAuthentication {
    let answer = try await client.execute(uri: "/.well-known/stellar.toml", method: .get)
    return try WebAuthentication(
      homeDomain: domain, information: StellarInformation(String(buffer: answer.body)), network: network)
  }

  func sign(_ challenge: String, at date: Date, with client: any TestClientProtocol) async throws -> String {
    try await rules(client).sign(
      challenge, for: MuxedAccount(pair.account), with: pair, now: UInt64(date.timeIntervalSince1970))
  }
}

@Suite("Login with a wallet: the programs' way (SEP-10)", .timeLimit(.minutes(5)))
struct WalletTokenTests {
  private func challenge(_ client: any TestClientProtocol, for wallet: TestWallet) async throws
    -> WalletChallengeMessage
  {
    let answer = try await client.execute(uri: "/v1/wallet/auth?account=\(wallet.pair.account)", method: .get)
    #expect(answer.status == .ok && answer.headers[.accessControlAllowOrigin] == "*")
    return try WireCoding.decoder().decode(WalletChallengeMessage.self, from: Data(answer.body.readableBytesView))
  }

  private func token(_ client: any TestClientProtocol, for transaction: String) async throws -> TestResponse {
    try await client.execute(
      uri: "/v1/wallet/auth", method: .post, headers: [.contentType: "application/json"],
      body: ByteBuffer(bytes: try WireCoding.encoder().encode(WalletAnswerMessage(transaction: transaction))))
  }

  private struct Claims: JWTPayload {
    let iss: String
    let sub: SubjectClaim
    let iat, exp: Int
    let jti: String
    func verify(using algorithm: some JWTAlgorithm) throws {}
  }

  @Test("WAL-11: a signed challenge gives one token, which the key of stellar.toml verifies; replayed it gives none")
  func token() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let wallet = TestWallet()
      let message = try await challenge(client, for: wallet)
      #expect(message.networkPassphrase == Network.test.passphrase && message.csrf == nil)
      let signed = try await wallet.sign(message.transaction, at: store.store.clock.now(), with: client)
      let answer = try await token(client, for: signed)
      #expect(answer.status == .ok, "\(String(buffer: answer.body))")
      let text = try WireCoding.decoder().decode(WalletTokenMessage.self, from: Data(answer.body.readableBytesView))
        .token
      let key = try await wallet.rules(client).server.publicKey
      let keys = JWTKeyCollection()
      let x = Base64URL.encode(key)
      await keys.add(eddsa: try EdDSA.PublicKey(x: x, curve: .ed25519))
      let claims = try await keys.verify(text, as: Claims.self)
      let now = Int(store.store.clock.now().timeIntervalSince1970)
      #expect(claims.iss == store.store.core.address.issuer && claims.sub.value == wallet.pair.address)
      #expect(claims.iat == now && claims.exp == now + 3600)
      let again = try await token(client, for: signed)
      #expect(again.status == .badRequest && String(buffer: again.body).contains("has served"))
    }
  }

  @Test("WAL-11: two at once give one token; after a restart of the store there is still no second")
  func once() async throws {
    let folder = try TemporaryFolder()
    let clock = ManualClock()
    let wallet = TestWallet()
    let store = try await LoginStore(in: folder, clock: clock)
    let signed = Shared("")
    try await store.test { client in
      let message = try await challenge(client, for: wallet)
      let text = try await wallet.sign(message.transaction, at: clock.now(), with: client)
      signed.value = text
      async let one = token(client, for: text).status
      async let two = token(client, for: text).status
      let set = try await Set([one, two])
      #expect(set == [.ok, .badRequest])
    }
    let again = try await LoginStore(in: folder, clock: clock)
    try await again.test { client in
      let answer = try await token(client, for: signed.value)
      #expect(answer.status == .badRequest)
    }
  }

  @Test("WAL-11: the store refuses expired, foreign, unsigned and doubly signed challenges, and those of another store")
  func refused() async throws {
    let store = try await LoginStore()
    let other = try await LoginStore(publicURL: "https://other.example")
    try await store.test { client in
      let wallet = TestWallet()
      let message = try await challenge(client, for: wallet)
      let start = store.store.clock.now()
      let signed = try await wallet.sign(message.transaction, at: start, with: client)
      let status = try await token(client, for: message.transaction).status
      #expect(status == .badRequest)
      var twice = try TransactionEnvelope(base64: signed)
      try twice.sign(with: .random(), on: .test)
      let secondStatus = try await token(client, for: twice.base64).status
      #expect(secondStatus == .badRequest)
      var elsewhere = try TransactionEnvelope(base64: message.transaction)
      try elsewhere.sign(with: wallet.pair, on: .public)
      let thirdStatus = try await token(client, for: elsewhere.base64).status
      #expect(thirdStatus == .badRequest)
      try await other.test { client in
        let answer = try await token(client, for: signed)
        #expect(answer.status == .badRequest)
      }
      let fourthStatus = try await token(client, for: "no transaction").status
      #expect(fourthStatus == .badRequest)
      store.store.clock.advance(by: .seconds(901))
      let fifthStatus = try await token(client, for: signed).status
      #expect(fifthStatus == .badRequest)
    }
  }

  @Test("WAL-11: a challenge that has served does not serve again when the machine's clock is set back")
  func clockSetBack() async throws {
    let store = try await TestStore()
    func use(_ name: String, until end: TimeInterval, now: TimeInterval) async throws -> Bool {
      try await store.core.dependencies.database.write(at: Date(timeIntervalSince1970: now)) {
        try WalletRecords.use(name, until: Date(timeIntervalSince1970: end), in: $0)
      }
    }
    #expect(try await use("first", until: 900, now: 0))
    #expect(try await use("second", until: 2900, now: 2000), "which forgets the first")
    #expect(try await !use("first", until: 900, now: 10))
    #expect(try await use("third", until: 910, now: 10), "what ends later is not known to have served")
    #expect(try await use("fourth", until: 4900, now: 4000))
    for name in ["first", "second", "third"] { #expect(try await !use(name, until: 2900, now: 2000)) }
    #expect(try await use("fifth", until: 2901, now: 2001))
  }

  @Test("WAL-11: by the store's own clock a challenge is taken in its last second, and in no later one")
  func storeExpiry() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let wallet = TestWallet()
      let start = store.store.clock.now()
      // The wallet's clock stands still meanwhile: it is the store that refuses.
      let first = try await wallet.sign(try await challenge(client, for: wallet).transaction, at: start, with: client)
      let second = try await wallet.sign(try await challenge(client, for: wallet).transaction, at: start, with: client)
      store.store.clock.advance(by: .seconds(900))
      let status = try await token(client, for: first).status
      #expect(status == .ok)
      store.store.clock.advance(by: .seconds(1))
      let late = try await token(client, for: second)
      #expect(late.status == .badRequest && String(buffer: late.body).contains("is good from"))
    }
  }

  @Test("WAL-11: a token says whether the store has an account that the wallet opens")
  func hasAccount() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let wallet = TestWallet()
      func answer() async throws -> Bool? {
        let message = try await challenge(client, for: wallet)
        let signed = try await wallet.sign(message.transaction, at: store.store.clock.now(), with: client)
        let body = try await token(client, for: signed).body
        return try WireCoding.decoder().decode(WalletTokenMessage.self, from: Data(body.readableBytesView)).hasAccount
      }
      let actualAnswer = try await answer()
      #expect(actualAnswer == false)
      let browser = Browser(client)
      try await browser.get(LoginStore.authorize())
      let page = try #require(browser.page.all("a").compactMap { $0["href"] }.first { $0.hasSuffix("/with/wallet") })
      try await browser.get(page)
      try await browser.get(browser.path + "?account=\(wallet.pair.account)")
      let text = browser.page.element(id: "challenge")?.text ?? ""
      let signed = try await wallet.sign(text, at: store.store.clock.now(), with: client)
      try await browser.submit("/wallet", with: ["signed": signed, "challenge": text])
      let secondAnswer = try await answer()
      #expect(secondAnswer == false, "proved, and no account before the region is said")
      try await browser.submit("/region", with: ["country": "NL"])
      let thirdAnswer = try await answer()
      #expect(thirdAnswer == true)
      let database = store.store.core.dependencies.database
      let id = try await database.read { connection in
        AccountID(try #require(try connection.row("SELECT id FROM accounts", [])).text("id"))
      }
      try await store.store.core.accounts.remove(try #require(id))
      let fourthAnswer = try await answer()
      #expect(fourthAnswer == false, "a removed account is opened by nothing")
    }
  }

  @Test("WAL-11: the wallet refuses the store's challenge under another domain, on another network, and too late")
  func clientRefuses() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let wallet = TestWallet()
      let (text, now) = (try await challenge(client, for: wallet).transaction, store.store.clock.now())
      func isRefused(_ wallet: TestWallet, at date: Date) async throws -> Bool {
        do {
          _ = try await wallet.sign(text, at: date, with: client)
          return false
        } catch is WebAuthenticationError {
          return true
        }
      }
      let actualIsRefused = try await isRefused(wallet, at: now)
      #expect(actualIsRefused == false)
      #expect(try await isRefused(wallet, at: now + 901))
      #expect(try await isRefused(TestWallet(pair: wallet.pair, domain: "store.example"), at: now))
      #expect(try await isRefused(TestWallet(pair: wallet.pair, network: .public), at: now))
    }
  }

  @Test(
    "requests that are no request for a challenge are refused, and say what was expected",
    arguments: [
      "", "?account=x", "?account=GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ&memo=a",
      "?account=GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ&home_domain=example.org",
      "?account=GA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJVSGZ&client_domain=a.example",
      "?account=MA7QYNF7SOWQ3GLR2BGMZEHXAVIRZA4KVWLTJJFC7MGXUA74P7UJUAAAAAAAAAAAACJUQ&memo=1",
    ])
  func malformed(_ query: String) async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let answer = try await client.execute(uri: "/v1/wallet/auth" + query, method: .get)
      #expect(answer.status == .badRequest)
      let message = try WireCoding.decoder().decode(WalletErrorMessage.self, from: Data(answer.body.readableBytesView))
      #expect(!message.error.isEmpty)
    }
  }

  @Test("challenges of one network address have a limit of their own")
  func limit() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let uri = "/v1/wallet/auth?account=\(SigningKeyPair.random().account)"
      for _ in 0..<100 {
        let status = try await client.execute(uri: uri, method: .get).status
        #expect(status == .ok)
      }
      let answer = try await client.execute(uri: uri, method: .get)
      #expect(answer.status == .tooManyRequests && answer.headers[.retryAfter] != nil)
    }
  }

  @Test("a store that does not ask for wallets has none of it")
  func notOffered() async throws {
    let store = try await LoginStore { $0.wallet.isOffered = false }
    try await store.test { client in
      for uri in ["/.well-known/stellar.toml", "/v1/wallet/auth?account=\(SigningKeyPair.random().account)"] {
        let status = try await client.execute(uri: uri, method: .get).status
        #expect(status == .notFound)
      }
      let browser = Browser(client)
      try await browser.get(LoginStore.authorize())
      #expect(!browser.html.contains("/with/wallet"))
      try await browser.get(browser.path + "/wallet")
      #expect(browser.status == .notFound)
    }
  }
}
