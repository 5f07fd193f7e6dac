import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreWeb

/// Strangers cannot use up the codes of browsers that have logged in before, nor lock an account (ACC-11, ACC-12).
@Suite("Floods of codes and slow guesses", .timeLimit(.minutes(5)))
struct CodeFloodTests {
  private static let owner = "+31612345689"

  /// Limits under which a new code may be asked for after a second.
  private static var quickResend: CodeLimits {
    var limits = CodeLimits()
    limits.resendDelay = 1
    return limits
  }

  /// Asks for a code from a browser of its own.
  private static func ask(
    _ store: LoginStore, for phone: String, network: String, browser: String = UUID().uuidString
  ) async throws -> (outcome: LoginService.SendOutcome, attempt: LoginAttempt) {
    let attempt = try await store.logins.begin(.web(next: "/"), browser: browser, language: .english)
    let outcome = try await store.logins.sendCode(
      attempt, to: .phone(try PhoneNumber(parsing: phone)), source: CodeSource(device: browser, network: network))
    return (outcome, outcome == .sent ? try await store.logins.attempt(attempt.id, browser: browser) : attempt)
  }

  /// Asks for 60 codes from each of some networks, for scattered numbers of a country; returns how many were sent.
  private static func flood(
    _ store: LoginStore, networks: Int, prefix: String = "+316"
  ) async throws -> Int {
    var sent = 0
    for network in 0..<networks {
      for request in 0..<60 {
        let number = prefix + String(format: "%08d", (network * 60 + request) * 73_687 % 100_000_000)
        let (outcome, _) = try await ask(store, for: number, network: "\(prefix) \(network)")
        if outcome == .sent { sent += 1 }
      }
    }
    return sent
  }

  /// A browser in which the number's account logged in a day ago.
  private static func recognizedBrowser(_ client: any TestClientProtocol, of store: LoginStore) async throws -> Browser
  {
    let browser = Browser(client)
    try await store.logIn(browser, phone: owner)
    store.store.clock.advance(by: .seconds(RecognizedBrowserRecords.age))
    return browser
  }

  /// The hash of the only recognized browser's cookie.
  private static func recognizedHash(of store: LoginStore) async throws -> String {
    let hash = try await store.store.core.dependencies.database.read {
      try $0.row("SELECT browser FROM recognized_browsers")?.text("browser")
    }
    return try #require(hash)
  }

  /// Logs in once more with a browser that has logged in before.
  private static func logInAgain(_ browser: Browser, at store: LoginStore) async throws {
    let first = browser.answer["code"]
    try await store.logIn(browser, phone: owner)
    #expect(browser.answer["code"] != nil && browser.answer["code"] != first)
  }

  private static func limit(_ outcome: LoginService.SendOutcome) -> CodeLimitReached.Limit? {
    if case .limited(let reached) = outcome { reached.limit } else { nil }
  }

  /// Enters wrong codes for a number from a browser and a network of a stranger; returns the last answer.
  @discardableResult
  private static func guess(_ store: LoginStore, count: Int) async throws -> LoginService.Step? {
    var last: LoginService.Step?
    var entered = 0
    while entered < count {
      store.store.clock.advance(by: .seconds(600))
      let (outcome, attempt) = try await ask(store, for: owner, network: "stranger \(entered)")
      guard outcome == .sent else {
        Issue.record("expected a code for the stranger, got \(outcome)")
        return last
      }
      let code = try await store.code(owner)
      for _ in 0..<min(5, count - entered) {
        last = try await store.logins.enter(code == "000000" ? "000001" : "000000", for: attempt)
        entered += 1
      }
    }
    return last
  }

  @Test("ACC-12: 1,020 requests from 17 networks get a quarter of all codes, and leave the owner's browser its code")
  func seventeenNetworks() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = try await Self.recognizedBrowser(client, of: store)
      let sent = try await Self.flood(store, networks: 17)
      #expect(sent == 250)
      try await Self.logInAgain(browser, at: store)
    }
  }

  @Test(
    "ACC-12: floods of two countries get 250 codes each, the next country gets none, and a recognized browser gets its code"
  )
  func countries() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = try await Self.recognizedBrowser(client, of: store)
      let dutch = try await Self.flood(store, networks: 20)
      let german = try await Self.flood(store, networks: 20, prefix: "+4915")
      #expect(dutch == 250 && german == 250)
      let (french, _) = try await Self.ask(store, for: "+33612345678", network: "new")
      #expect(Self.limit(french) == .unrecognized)
      #expect(store.store.metrics.contains(#"onside_codes_refused_total{limit="country"}"#))
      try await Self.logInAgain(browser, at: store)
    }
  }

  @Test("ACC-12: at the country's limit, a number with an account and one without are rejected by the same limit")
  func noOracle() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      try await store.logIn(Browser(client), phone: Self.owner)
      _ = try await Self.flood(store, networks: 17)
      let (known, _) = try await Self.ask(store, for: Self.owner, network: "probe")
      let (unknown, _) = try await Self.ask(store, for: "+31612340000", network: "probe")
      #expect(Self.limit(known) == .country && Self.limit(unknown) == .country)
    }
  }

  @Test("ACC-12: a recognized browser gets five unentered codes an hour for its number")
  func ownLimit() async throws {
    let store = try await LoginStore(limits: Self.quickResend)
    try await store.test { client in
      _ = try await Self.recognizedBrowser(client, of: store)
      let recognized = try await Self.recognizedHash(of: store)
      var sent = 0
      for _ in 0..<7 {
        store.store.clock.advance(by: .seconds(60))
        let (outcome, _) = try await Self.ask(store, for: Self.owner, network: "home", browser: recognized)
        if outcome == .sent { sent += 1 }
      }
      #expect(sent == 5)
    }
  }

  @Test("ACC-11: after ten wrong codes a stranger waits 30 seconds, and the owner's browser does not wait")
  func slowGuesses() async throws {
    let store = try await LoginStore(limits: Self.quickResend)
    let clock = store.store.clock
    try await store.test { client in
      let browser = try await Self.recognizedBrowser(client, of: store)
      let last = try await Self.guess(store, count: 10)
      #expect(last == .code(.spent))
      // A new browser waits for 30 seconds.
      let (refused, _) = try await Self.ask(store, for: Self.owner, network: "elsewhere")
      #expect(refused == .limited(CodeLimitReached(limit: .failures, wait: 30)))
      // The browser that the owner has used goes on at once.
      try await Self.logInAgain(browser, at: store)
      // The owner's login does not end the other browsers' streak.
      let (still, _) = try await Self.ask(store, for: Self.owner, network: "elsewhere")
      #expect(still == .limited(CodeLimitReached(limit: .failures, wait: 30)))
      clock.advance(by: .seconds(30))
      let (again, _) = try await Self.ask(store, for: Self.owner, network: "elsewhere")
      #expect(again == .sent)
    }
  }

  @Test("ACC-11: the delay doubles up to an hour, a right code from a new browser is taken after it, and ends the row")
  func doubling() async throws {
    let store = try await LoginStore(limits: Self.quickResend)
    let database = store.store.core.dependencies.database
    var waits: [Int] = []
    for count in 9...20 {
      let now = store.store.clock.now()
      let wait = CodeFailures.wait(count: Int64(count), failedAt: now, limits: CodeLimits(), at: now)
      waits.append(Int(wait ?? 0))
    }
    #expect(waits == [0, 30, 60, 120, 240, 480, 960, 1920, 3600, 3600, 3600, 3600])
    try await Self.guess(store, count: 10)
    store.store.clock.advance(by: .seconds(30))
    let (outcome, attempt) = try await Self.ask(store, for: Self.owner, network: "elsewhere")
    #expect(outcome == .sent)
    let step = try await store.logins.enter(try await store.code(Self.owner), for: attempt)
    #expect(step == .region)
    let rows = try await database.read { try $0.rows("SELECT contact FROM code_failures").count }
    #expect(rows == 0)
  }

  @Test("ACC-11: a day of guesses at one number compares 40 codes at most")
  func day() async throws {
    var limits = CodeLimits()
    (limits.perNumber, limits.perNumberDaily, limits.perRange, limits.resendDelay) = (10_000, 10_000, 10_000, 1)
    let store = try await LoginStore(limits: limits)
    for minute in 0..<1440 {
      store.store.clock.advance(by: .seconds(60))
      let (outcome, attempt) = try await Self.ask(store, for: Self.owner, network: "stranger \(minute)")
      guard outcome == .sent else { continue }
      for guess in 1...5 { _ = try await store.logins.enter(String(format: "%06d", guess), for: attempt) }
    }
    let tries = try await store.store.core.dependencies.database.read {
      try $0.row("SELECT CAST(SUM(tries) AS BIGINT) AS tries FROM one_time_codes")?.integer("tries")
    }
    #expect((20...40).contains(tries ?? 0))
  }

  @Test("ACC-11: the tenth wrong code sends one notice, in the owner's language, and none for an unknown number")
  func notice() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      try await Self.guess(store, count: 10)
      try await store.store.core.deliverOutbox()
      // Two codes, and no notice.
      #expect(store.inbox.messages.count == 2)
      store.store.clock.advance(by: .seconds(3600))
      let browser = Browser(client)
      browser.headers[.acceptLanguage] = "de"
      try await store.logIn(browser, phone: Self.owner)
      store.store.clock.advance(by: .seconds(86_400))
      try await Self.guess(store, count: 10)
      for _ in 0..<2 { try await store.store.core.deliverOutbox() }
      let notices = store.inbox.messages.filter { $0.code.isEmpty }
      #expect(notices.count == 1)
      #expect(notices.first?.to.text == Self.owner && notices.first?.text.contains("mehrere falsche Codes") == true)
    }
  }

  @Test("ACC-11: a notice that waited for a day is not sent")
  func lateNotice() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      _ = try await Self.recognizedBrowser(client, of: store)
      try await Self.guess(store, count: 10)
      store.store.clock.advance(by: .seconds(86_400))
      try await store.store.core.deliverOutbox()
      let notices = store.inbox.messages.filter { $0.code.isEmpty }
      #expect(notices.isEmpty)
    }
  }

  @Test("ACC-11: wrong codes in a recognized browser delay that browser and no other")
  func recognizedGuesses() async throws {
    let store = try await LoginStore(limits: Self.quickResend)
    try await store.test { client in
      _ = try await Self.recognizedBrowser(client, of: store)
      let recognized = try await Self.recognizedHash(of: store)
      for _ in 0..<2 {
        store.store.clock.advance(by: .seconds(60))
        let (_, attempt) = try await Self.ask(store, for: Self.owner, network: "home", browser: recognized)
        let code = try await store.code(Self.owner)
        for _ in 0..<5 { _ = try await store.logins.enter(code == "000000" ? "000001" : "000000", for: attempt) }
      }
      store.store.clock.advance(by: .seconds(10))
      let (own, _) = try await Self.ask(store, for: Self.owner, network: "home", browser: recognized)
      #expect(own == .limited(CodeLimitReached(limit: .failures, wait: 20)))
      let (other, _) = try await Self.ask(store, for: Self.owner, network: "elsewhere")
      #expect(other == .sent)
    }
  }

  @Test("ACC-11: a stranger who uses up a number's codes does not keep its owner's browser from a code")
  func exhausted() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = try await Self.recognizedBrowser(client, of: store)
      for request in 0..<5 {
        store.store.clock.advance(by: .seconds(500))
        _ = try await Self.ask(store, for: Self.owner, network: "stranger \(request)")
        await store.messages.deliverDue()
      }
      store.store.clock.advance(by: .seconds(60))
      let (stranger, _) = try await Self.ask(store, for: Self.owner, network: "elsewhere")
      #expect(stranger != .sent)
      try await Self.logInAgain(browser, at: store)
    }
  }
}
