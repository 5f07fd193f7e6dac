import Crypto
import Foundation
import Hummingbird
import HummingbirdTesting
import Logging
import OnsideAPI
import StoreBaseTestSupport
import StoreTestSupport
import Synchronization
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StorePayments
@testable import StoreWeb

/// A store with two apps, whose messages arrive here.
struct LoginStore {
  static let redirect = "io.example.lumen://onside"
  static let verifier = String(repeating: "verifier-", count: 5)

  let store: TestStore
  let inbox: Inbox

  var logins: LoginService { store.core.logins }
  var messages: MessageOutbox { store.core.messages }

  init(
    in folder: TemporaryFolder? = nil, clock: ManualClock = ManualClock(), limits: CodeLimits = CodeLimits(),
    sender: (any MessageSender)? = nil,
    logger: Logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() }), publicURL: String? = nil,
    providers: [PaymentProviderFactory]? = nil, configure: @Sendable (inout StoreConfiguration) -> Void = { _ in }
  ) async throws {
    inbox = Inbox()
    store = try await TestStore(
      in: folder, clock: clock, logger: logger, sender: sender ?? inbox, providers: providers
    ) { configuration in
      configuration.publicURL = publicURL.flatMap { URL(string: $0) }
      configuration.codeLimits = limits
      configure(&configuration)
    }
    try await store.core.apps.register(
      App(
        id: "io.example.lumen", name: "Lumen",
        redirectURIs: [
          Self.redirect, "http://127.0.0.1/callback", "http://[::1]/callback", "https://lumen.example/cb?x=1",
        ]))
    try await store.core.apps.register(
      App(id: "io.example.tideline", name: "Tideline", redirectURIs: ["io.example.tideline://onside"]))
  }

  func test(_ body: @Sendable (any TestClientProtocol) async throws -> Void) async throws {
    try await store.test([], body)
  }

  /// Runs the whole store on a free port of 127.0.0.1 while `body` does.
  func live(_ body: @escaping @Sendable (URL) async throws -> Void) async throws {
    let (addresses, listening) = AsyncStream.makeStream(of: URL.self)
    let application = StoreApplication(core: store.core)
    try await withThrowingTaskGroup(of: Void.self) { tasks in
      tasks.addTask {
        try await application.run(gracefulShutdownSignals: []) { listening.yield($0) }
        listening.finish()
      }
      for await address in addresses {
        try await body(address)
        break
      }
      tasks.cancelAll()
      try await tasks.waitForAll()
    }
  }

  /// The code that was sent last to a number.
  func code(_ phone: String) async throws -> String {
    await messages.deliverDue()
    return try #require(inbox.messages.last { $0.to.text == phone }?.code)
  }

  /// Goes through a login up to where the browser leaves the store.
  func logIn(_ browser: Browser, phone: String = "+31612345689", client: String = "io.example.lumen") async throws {
    let redirect = client == "io.example.lumen" ? Self.redirect : "io.example.tideline://onside"
    try await browser.get(Self.authorize(client: client, redirect: redirect))
    if browser.html.contains("/continue\"") { try await browser.get(browser.path + "?number=other") }
    try await browser.submit(
      browser.path.split(separator: "?")[0].split(separator: "/").last.map(String.init) ?? "", with: ["phone": phone])
    try await browser.submit("/code", with: ["code": try await code(phone)])
    if browser.path.hasSuffix("/region") { try await browser.submit("/region", with: ["country": "NL"]) }
  }

  /// Logs in and exchanges the code.
  func tokens(_ client: any TestClientProtocol, phone: String = "+31612345689") async throws -> TokenMessage {
    let browser = Browser(client)
    try await logIn(browser, phone: phone)
    let code = try #require(browser.answer["code"])
    let response = try await Self.token(client, parameters: Self.exchange(code))
    return try WireCoding.decoder().decode(TokenMessage.self, from: Data(response.body.readableBytesView))
  }

  static func authorize(
    client: String = "io.example.lumen", redirect: String = redirect, _ changes: [String: String?] = [:]
  ) -> String {
    var parameters: [String: String?] = [
      "response_type": "code", "client_id": client, "redirect_uri": redirect,
      "code_challenge": verifier.sha256Base64URL, "code_challenge_method": "S256", "state": "st&te=1",
    ]
    parameters.merge(changes) { $1 }
    return "/oauth/authorize".appendingQuery(
      parameters.sorted { $0.key < $1.key }.compactMap { name, value in
        value.map { (name, $0) }
      })
  }

  static func exchange(_ code: String, changes: [String: String?] = [:]) -> [String: String?] {
    let parameters: [String: String?] = [
      "grant_type": "authorization_code", "code": code, "client_id": "io.example.lumen", "redirect_uri": redirect,
      "code_verifier": verifier,
    ]
    return parameters.merging(changes) { $1 }
  }

  static func refresh(_ token: String, client: String = "io.example.lumen") -> [String: String?] {
    ["grant_type": "refresh_token", "refresh_token": token, "client_id": client]
  }

  static func token(
    _ client: any TestClientProtocol, parameters: [String: String?], path: String = "/oauth/token"
  ) async throws -> TestResponse {
    let fields = parameters.sorted { $0.key < $1.key }.compactMap { name, value in value.map { (name, $0) } }
    return try await client.execute(
      uri: path, method: .post, headers: [.contentType: "application/x-www-form-urlencoded"],
      body: ByteBuffer(string: String("".appendingQuery(fields).dropFirst())))
  }
}

/// Keeps messages instead of sending them; can be told to fail.
final class Inbox: MessageSender {
  struct Unreachable: Error {}

  private let state = Mutex((messages: [OutgoingMessage](), failures: 0))

  var messages: [OutgoingMessage] { state.withLock { $0.messages } }

  func failNext(_ count: Int) { state.withLock { $0.failures = count } }

  func send(_ message: OutgoingMessage) async throws {
    try state.withLock { state in
      if state.failures > 0 {
        state.failures -= 1
        throw Unreachable()
      }
      state.messages.append(message)
    }
  }
}
