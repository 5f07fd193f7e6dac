import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import Stellar
import StoreBaseTestSupport
import Synchronization
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales
@testable import StoreWeb

/// A value that a closure leaves for its test.
final class Shared<Value: Sendable>: Sendable {
  private let kept: Mutex<Value>
  init(_ value: Value) { kept = Mutex(value) }
  var value: Value {
    get { kept.withLock { $0 } }
    set { kept.withLock { $0 = newValue } }
  }
}

@Suite("Login with a wallet: the page", .timeLimit(.minutes(5)))
struct WalletPageTests {
  /// Goes to the page with the challenge.
  private func ask(_ browser: Browser, for wallet: TestWallet) async throws -> String {
    let page = try #require(browser.page.all("a").compactMap { $0["href"] }.first { $0.hasSuffix("/with/wallet") })
    try await browser.get(page)
    try await browser.get(browser.path + "?account=\(wallet.pair.account)")
    return (browser.page.element(id: "challenge")?.text ?? "")
  }

  private func account(_ store: LoginStore, of wallet: TestWallet) async throws -> Account? {
    let database = store.store.core.dependencies.database
    let issuer = Hexadecimal.encode(Network.test.id)
    let identity = FederatedIdentity(kind: .stellar, issuer: issuer, subject: wallet.pair.address)
    return try await database.read { connection in
      try identity.flatMap { try AccountRecords.account(identity: .federated($0), in: connection) }
    }
  }

  @Test("WAL-11: the first login with a wallet makes an account, the next one finds it, without a script")
  func firstAndNext() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let wallet = TestWallet()
      for isFirst in [true, false] {
        let browser = Browser(client)
        try await browser.get(LoginStore.authorize())
        let text = try await ask(browser, for: wallet)
        #expect(browser.html.contains("no network accepts it"))
        let signed = try await wallet.sign(text, at: store.store.clock.now(), with: client)
        try await browser.submit("/wallet", with: ["signed": signed, "challenge": text])
        if isFirst { try await browser.submit("/region", with: ["country": "NL"]) }
        let code = try #require(browser.answer["code"], "\(browser.status?.code ?? 0) \(browser.html)")
        let status = try await LoginStore.token(client, parameters: LoginStore.exchange(code)).status
        #expect(status == .ok)
      }
      let account = try #require(try await account(store, of: wallet))
      #expect(account.masked == "\(wallet.pair.address.prefix(4))…\(wallet.pair.address.suffix(4))")
      #expect(account.identities.count == 1 && account.contacts.isEmpty)
    }
  }

  @Test("WAL-11: a challenge counts in the login that it was made for, in no other, and not for a token")
  func bound() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let wallet = TestWallet()
      let (one, two) = (Browser(client), Browser(client))
      try await one.get(LoginStore.authorize())
      try await two.get(LoginStore.authorize())
      let (first, second) = (try await ask(one, for: wallet), try await ask(two, for: wallet))
      let signed = try await wallet.sign(first, at: store.store.clock.now(), with: client)
      try await two.submit("/wallet", with: ["signed": signed, "challenge": second])
      #expect(two.status == .unprocessableContent && two.html.contains("expired or was used"))
      let answer = try await client.execute(
        uri: "/v1/wallet/auth", method: .post, headers: [.contentType: "application/json"],
        body: .init(bytes: try WireCoding.encoder().encode(WalletAnswerMessage(transaction: signed))))
      #expect(answer.status == .badRequest)
      try await one.submit("/wallet", with: ["signed": signed, "challenge": first])
      #expect(one.path.hasSuffix("/region"))
      let actualAccount = try await account(store, of: wallet)
      #expect(actualAccount == nil)
    }
  }

  @Test("WAL-11: replayed, expired and unsigned answers are refused on the page, which says so")
  func refused() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let wallet = TestWallet()
      let browser = Browser(client)
      try await browser.get(LoginStore.authorize())
      let text = try await ask(browser, for: wallet)
      try await browser.submit("/wallet", with: ["signed": text, "challenge": text])
      #expect(browser.status == .unprocessableContent && (browser.page.element(id: "challenge")?.text ?? "") == text)
      #expect(browser.html.contains("signed by this account alone"))
      let signed = try await wallet.sign(text, at: store.store.clock.now(), with: client)
      let form = (browser.path, browser.page.elements.first { $0["name"] == "csrf" }?["value"] ?? "")
      try await browser.submit("/wallet", with: ["signed": signed])
      #expect(browser.path.hasSuffix("/region"))
      try await browser.post(form.0, fields: ["csrf": form.1, "signed": signed])
      #expect(browser.status == .unprocessableContent && browser.html.contains("expired or was used"))
      let late = try await ask(try await browser.get(LoginStore.authorize()), for: wallet)
      let signedLate = try await wallet.sign(late, at: store.store.clock.now(), with: client)
      store.store.clock.advance(by: .seconds(901))
      try await browser.submit("/wallet", with: ["signed": signedLate, "challenge": late])
      #expect(browser.status == .unprocessableContent && browser.html.contains("expired or was used"))
    }
  }

  @Test("what is no address is refused, and a secret seed is not shown again", arguments: ["x", "GA7Q", ""])
  func address(_ typed: String) async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await browser.get(LoginStore.authorize())
      try await browser.get(browser.path + "/wallet?account=\(typed)")
      #expect(browser.status == .unprocessableContent && browser.html.contains("complete Stellar address"))
      let seed = SigningKeyPair.random().withSecret { String(decoding: $0, as: UTF8.self) }
      try await browser.post(browser.path, fields: ["account": seed])
      #expect(!browser.html.contains(seed))
    }
  }

  @Test("WAL-11: a wallet is added to an account after proof of both, and then opens it")
  func added() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let wallet = TestWallet()
      let browser = Browser(client)
      try await store.logIn(browser)
      try await browser.get("/account/logins")
      try await browser.submit("/logins/add")
      let text = try await ask(browser, for: wallet)
      let signed = try await wallet.sign(text, at: store.store.clock.now(), with: client)
      try await browser.submit("/wallet", with: ["signed": signed, "challenge": text])
      #expect(browser.path == "/account/logins?added=1" && browser.html.contains("Stellar wallet"))
      let contact = try #require(Contact(stored: "+31612345689"))
      let owner = try await store.store.core.accounts.account(contact)
      let opened = try await account(store, of: wallet)
      #expect(opened?.id == owner?.id && owner != nil)
    }
  }
}
