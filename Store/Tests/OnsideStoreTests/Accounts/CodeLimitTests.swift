import Foundation
import HTTPTypes
import HummingbirdTesting
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreWeb

@Suite("Limits of codes", .timeLimit(.minutes(5)))
struct CodeLimitTests {
  /// Requests a code in a new login, and returns the status of the answer.
  private static func ask(_ browser: Browser, at store: LoginStore, for phone: String) async throws -> HTTPResponse
    .Status?
  {
    try await browser.get(LoginStore.authorize())
    try await browser.submit(store.attempt(browser), with: ["phone": phone])
    return browser.status
  }

  private static func expect(
    _ status: HTTPResponse.Status, in browser: Browser, at store: LoginStore, for phone: String,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async throws {
    let answer = try await ask(browser, at: store, for: phone)
    #expect(answer == status, sourceLocation: sourceLocation)
  }

  private static func sent(_ store: LoginStore) async -> Int {
    await store.messages.deliverDue()
    return store.inbox.messages.count
  }

  @Test("ACC-12: known and unknown numbers get the same answer until the code is right")
  func sameAnswer() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      try await store.logIn(Browser(client), phone: "+31612345689")
      store.store.clock.advance(by: .seconds(120))
      var pages: [String] = []
      for phone in ["+31612345689", "+31612345600"] {
        let browser = Browser(client)
        try await Self.expect(.ok, in: browser, at: store, for: phone)
        let attempt = browser.path.split(separator: "/")[1]
        let number = try PhoneNumber(parsing: phone).spaced
        let csrf = browser.page.elements.first { $0["name"] == "csrf" }?["value"] ?? ""
        pages.append(
          browser.html.replacing(attempt, with: "ATTEMPT").replacing(number, with: "NUMBER").replacing(csrf, with: ""))
        let code = try await store.code(phone)
        try await browser.submit("/code", with: ["code": code == "000000" ? "000001" : "000000"])
        pages.append("\(browser.status?.code ?? 0)" + (browser.page.element(id: "code-error")?.text ?? ""))
      }
      #expect(pages[0] == pages[2])
      #expect(pages[1] == pages[3])
      #expect(pages[0].contains("NUMBER"))
    }
  }

  @Test("ACC-12: a request for a code reads no account, whether the number is known or not")
  func sameWork() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      try await store.logIn(Browser(client), phone: "+31612345689")
      store.store.clock.advance(by: .seconds(120))
      // The number is looked up only when the code was right: sending never reads an account.
      try await store.store.core.dependencies.database.write { try $0.execute("DROP TABLE accounts") }
      for phone in ["+31612345689", "+31612345600"] {
        try await Self.expect(.ok, in: Browser(client), at: store, for: phone)
      }
    }
  }

  @Test("ACC-12: one number gets five unused codes an hour; then 429, Retry-After, and nothing is sent")
  func perNumber() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      for _ in 1...5 {
        try await Self.expect(.ok, in: Browser(client), at: store, for: "+31612345689")
        _ = await Self.sent(store)
        store.store.clock.advance(by: .seconds(600))
      }
      let browser = Browser(client)
      try await Self.expect(.tooManyRequests, in: browser, at: store, for: "+31612345689")
      let wait = try #require(browser.response?.headers[.retryAfter].flatMap { Int($0) })
      #expect(wait == 600)
      #expect(browser.page.element(id: "phone-error") != nil)
      let sent = await Self.sent(store)
      #expect(sent == 5)
      store.store.clock.advance(by: .seconds(wait - 1))
      try await Self.expect(.tooManyRequests, in: Browser(client), at: store, for: "+31612345689")
      store.store.clock.advance(by: .seconds(1))
      try await Self.expect(.ok, in: Browser(client), at: store, for: "+31612345689")
    }
  }

  @Test("ACC-12: a number whose codes are entered has no limit but the daily one")
  func redeemed() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      for _ in 1...8 { try await store.logIn(Browser(client), phone: "+31612345689") }
      #expect(store.inbox.messages.count == 8)
    }
  }

  @Test("ACC-12: one browser gets ten codes an hour, whatever the numbers")
  func perDevice() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      for index in 0..<10 { try await Self.expect(.ok, in: browser, at: store, for: "+3161\(index)345689") }
      try await Self.expect(.tooManyRequests, in: browser, at: store, for: "+31699999999")
      let sent = await Self.sent(store)
      #expect(sent == 10)
      try await Self.expect(.ok, in: Browser(client), at: store, for: "+31699999999")
    }
  }

  @Test("ACC-12: neighbouring numbers share a limit")
  func perRange() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      for index in 0..<20 { try await Self.expect(.ok, in: Browser(client), at: store, for: "+31612345\(100 + index)") }
      try await Self.expect(.tooManyRequests, in: Browser(client), at: store, for: "+31612345999")
      try await Self.expect(.ok, in: Browser(client), at: store, for: "+31612346999")
    }
  }

  @Test("ACC-12: one network, and the numbers of one country, have a limit", arguments: [true, false])
  func totals(isNetwork: Bool) async throws {
    var limits = CodeLimits()
    // A quarter of the total is for the numbers of one country.
    if isNetwork { limits.perNetwork = 3 } else { limits.total = 12 }
    let store = try await LoginStore(limits: limits)
    try await store.test { client in
      for index in 0..<3 { try await Self.expect(.ok, in: Browser(client), at: store, for: "+3161\(index)345689") }
      try await Self.expect(.tooManyRequests, in: Browser(client), at: store, for: "+31699999999")
      let sent = await Self.sent(store)
      #expect(sent == 3)
      store.store.clock.advance(by: .seconds(3600))
      try await Self.expect(.ok, in: Browser(client), at: store, for: "+31699999999")
    }
  }

  @Test("ACC-11: wrong codes in parallel count as in series")
  func parallelTries() async throws {
    let store = try await LoginStore()
    let attempt = try await store.logins.begin(.web(next: "/"), browser: "b", language: .english)
    let phone = try PhoneNumber(parsing: "+31612345689")
    _ = try await store.logins.sendCode(attempt, to: .phone(phone), source: CodeSource(device: "b", network: "n"))
    let code = try await store.code(phone.e164)
    let current = try await store.logins.attempt(attempt.id, browser: "b")
    let outcomes = try await withThrowingTaskGroup(of: LoginService.Step.self) { group in
      for number in 0..<50 {
        let typed = String(100_000 + number)
        group.addTask { try await store.logins.enter(typed == code ? "000000" : typed, for: current) }
      }
      return try await group.reduce(into: [LoginService.Step]()) { $0.append($1) }
    }
    #expect(outcomes.count { $0 == .code(.wrong) } == 4)
    #expect(outcomes.count { $0 == .code(.spent) } == 46)
    let outcome = try await store.logins.enter(code, for: current)
    #expect(outcome == .code(.spent))
  }

  @Test("Codes are spread evenly over all six digits")
  func spread() async throws {
    let store = try await LoginStore()
    let codeGenerator = store.logins.codeGenerator.current
    let codes = (0..<5000).map { codeGenerator.code(for: "id-\($0)") }
    #expect(codes.allSatisfy { $0.utf8.count == 6 && $0.utf8.allSatisfy { (48...57).contains($0) } })
    for digit in "0123456789" {
      let share = codes.count { $0.first == digit }
      #expect((400...600).contains(share), "\(digit): \(share)")
    }
    #expect(Set(codes).count > 4950)
  }
}
