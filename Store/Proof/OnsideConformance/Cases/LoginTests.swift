import ConformanceTable
import Foundation
import OnsideAPI
import OnsideKit
import Testing

@MainActor
@Suite("Logins", .serialized, .timeLimit(.minutes(5)))
struct LoginTests {
  @Test("ACC-1: calls that need a login while one is open join it, and one screen serves all")
  func joined() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let device = try await system.device(of: user)
      let patience = Latch()
      user.next(.login) { visit in
        try await patience.passed()
        return try await visit.logIn()
      }
      try await device.add(ExampleProducts.coins)
      device.restore()
      device.client.requestLogin { [app = device.app] in app.hear(.completed("login: \($0.name)")) }
      _ = try await user.shown(.login)
      #expect(device.app.completions.isEmpty)
      patience.open()
      try await device.app.until { $0.completions.count == 3 }
      #expect(device.app.completions.allSatisfy { $0.hasSuffix("success") })
      #expect(user.count(.login) == 1)
      if system.isOverHTTP {
        let sessionsAreRevoked = try await system.sessionsAreRevoked()
        #expect(sessionsAreRevoked == [false])
      }
    }
  }

  @Test("ACC-2: logged in already, a login succeeds without a screen")
  func alreadyIn() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let device = try await system.signedInDevice(of: user)
      try await device.client.login()
      #expect(user.count(.login) == 1)
      #expect(device.app.storefronts == ["NL"])
    }
  }

  @Test(
    "ACC-3: a dismissed login is reported to all, enqueues nothing, and no screen comes back", arguments: [true, false])
  func dismissed(byButton: Bool) async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let device = try await system.device(of: user)
      user.next(.login) { byButton ? try await $0.cancel() : .dismissed }
      let payment = try await device.payment(ExampleProducts.coins)
      let app = device.app
      device.queue.add(payment) { app.hear(.completed("add: \($0.name)")) }
      device.restore()
      device.client.requestLogin { app.hear(.completed("login: \($0.name)")) }
      try await app.until { $0.completions.count == 3 }
      #expect(Set(app.completions) == ["add: loginDiscarded", "restore: loginDiscarded", "login: loginDiscarded"])
      #expect(device.queue.transactions.isEmpty)
      #expect(device.files.isEmpty)
      _ = try await device.product(ExampleProducts.coins)
      #expect(user.count(.login) == 1)
      if system.isOverHTTP { #expect(system.network.count(.exchange) == 0) }
      #expect(app.storefronts.isEmpty)
    }
  }

  @Test("ACC-4: after a login the storefront is there, then observers hear of it, then completions succeed")
  func order() async throws {
    try await TestedSystem.run { system in
      let device = try await system.device(of: system.user())
      let (app, queue) = (device.app, device.queue)
      device.client.requestLogin {
        app.hear(.completed("login: \($0.name) in \(queue.storefront?.countryCode ?? "none")"))
      }
      try await app.until { !$0.completions.isEmpty }
      #expect(app.heard == [.storefront("NL"), .completed("login: success in NL")])
    }
  }

  @Test(
    "ACC-5: payments, restores, payment methods and refund requests log in on demand; products and history never do",
    .columns(.store, because: "a local store has neither history nor payment methods (HIS-2)"))
  func onDemand() async throws {
    try await TestedSystem.run { system in
      let users = [system.user("+31612345671"), system.user("+31612345672"), system.user("+31612345673")]
      let buyer = try await system.device(of: users[0])
      _ = try await buyer.product(ExampleProducts.coins)
      await #expect(throws: OnsideSignedInAppsHistoryRequestError.notLoggedIn) {
        try await buyer.client.signedInAppsHistory()
      }
      #expect(users[0].count(.login) == 0)
      let bought = try await buyer.buy(ExampleProducts.coins)
      #expect(bought.transactionState == .purchased && users[0].count(.login) == 1)
      buyer.client.logout()
      users[0].next(.refundRequest) { try await $0.askForRefund() }
      try await buyer.client.requestRefund(for: bought)
      #expect(users[0].visits.value.map(\.screen).suffix(2) == [.login, .refundRequest])

      let restorer = try await system.device(of: users[1])
      restorer.restore()
      try await restorer.app.until { $0.heard.contains(.restoreFinished) }
      #expect(users[1].count(.login) == 1)

      let manager = try await system.device(of: users[2])
      // This user's browser has forgotten the login of the screen before.
      users[2].next(.paymentMethods) {
        _ = try await $0.logIn()
        return try await $0.finishMethods()
      }
      try await manager.client.managePaymentMethods()
      #expect(users[2].visits.value.map(\.screen) == [.login, .paymentMethods])
    }
  }

  @Test(
    "ACC-6: logged out, a history request is refused in the same call",
    .columns(.store, because: "a local store signs no history (HIS-2)"))
  func historyLoggedOut() async throws {
    try await TestedSystem.run { system in
      let device = try await system.device(of: system.user())
      guard case .failure(let error) = device.client.makeSignedInAppsHistoryRequest() else {
        Issue.record("expected a failure")
        return
      }
      #expect(error == .notLoggedIn)
      try await device.client.login()
      #expect(throws: Never.self) { try device.client.makeSignedInAppsHistoryRequest().get() }
    }
  }

  @Test(
    "ACC-8: handle(url:) knows our callback, and one with an unknown state or a spent code changes nothing",
    .columns(.store, because: "a local login has no tokens"))
  func callbacks() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let device = try await system.device(of: user)
      device.client.callbackScheme = "io.example.lumen"
      let answer = Observed<URL?>(nil)
      user.next(.login) { visit in
        guard case .redirected(let url) = try await visit.logIn() else { return .dismissed }
        answer.change { $0 = url }
        return try await visit.stay()
      }
      let (client, app) = (device.client, device.app)
      client.requestLogin { app.hear(.completed("login: \($0.name)")) }
      try await answer.until { $0 != nil }
      let url = try #require(answer.value)

      #expect(!client.handle(url: try #require(URL(string: "https://lumen.example/callback"))))
      #expect(!client.handle(url: try #require(URL(string: "io.example.lumen://settings?claim=0123456789abcdef"))))
      let state = try #require(url.values(of: "state").first)
      let forged = try #require(URL(string: url.absoluteString.replacing(state, with: "another")))
      #expect(client.handle(url: forged))
      #expect(user.open.value == 1 && device.queue.storefront == nil)
      #expect(system.network.count(.exchange) == 0)

      let shouted = try #require(
        URL(string: url.absoluteString.replacing("io.example.lumen", with: "IO.Example.LUMEN")))
      #expect(client.handle(url: shouted))
      try await app.until { $0.completions == ["login: success"] }
      #expect(client.handle(url: url))
      _ = try await device.product(ExampleProducts.coins)
      #expect(app.storefronts == ["NL"])
      #expect(system.network.count(.exchange) == 1)
    }
  }

  @Test(
    "ACC-9: the login proves itself by PKCE S256 and state, and an intercepted code is useless",
    .columns(.store, because: "a local login has no tokens"))
  func interceptedCode() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let device = try await system.device(of: user)
      let (intercepted, allowed) = (Observed<URL?>(nil), Latch())
      user.next(.login) { visit in
        let outcome = try await visit.logIn()
        if case .redirected(let url) = outcome { intercepted.change { $0 = url } }
        try await allowed.passed()
        return outcome
      }
      let (client, app) = (device.client, device.app)
      client.requestLogin { app.hear(.completed("login: \($0.name)")) }
      try await intercepted.until { $0 != nil }
      let page = try await user.shown(.login).address
      #expect(page.values(of: "code_challenge_method") == ["S256"])
      #expect(page.values(of: "code_challenge").map(\.count) == [43])
      let url = try #require(intercepted.value)
      #expect(url.values(of: "state") == page.values(of: "state"))
      #expect(url.values(of: "state").first?.count ?? 0 >= 22)

      let code = try #require(url.values(of: "code").first)
      let guess = String(repeating: "guess-", count: 8)
      for (redirect, verifier) in [(TestedSystem.redirect, guess), ("http://127.0.0.1/callback", guess)] {
        let (status, body) = try await system.post(
          .token,
          fields: [
            "grant_type": "authorization_code", "code": code, "client_id": TestedSystem.app, "redirect_uri": redirect,
            "code_verifier": verifier,
          ])
        #expect(status == 400 && body.contains("invalid_grant"))
      }
      allowed.open()
      try await app.until { $0.completions == ["login: success"] }
      let sessionsAreRevoked = try await system.sessionsAreRevoked()
      #expect(sessionsAreRevoked == [false])
    }
  }

  @Test("ACC-10: a login whose screen stays open can be cancelled, and the next one works")
  func givenUp() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let device = try await system.device(of: user)
      user.next(.login) { try await $0.stay() }
      let (client, app) = (device.client, device.app)
      client.requestLogin { app.hear(.completed("first: \($0.name)")) }
      _ = try await user.shown(.login)
      client.cancelLogin()
      try await app.until { $0.completions == ["first: loginDiscarded"] }
      try await client.login()
      #expect(device.queue.storefront?.countryCode == "NL")
      #expect(user.open.value == 0)
    }
  }
}
