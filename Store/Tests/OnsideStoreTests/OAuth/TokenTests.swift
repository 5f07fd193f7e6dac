import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import OnsideVerify
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales
@testable import StoreWeb

@Suite("OAuth: tokens", .timeLimit(.minutes(5)))
struct TokenTests {
  @Test("ACC-9: the code gives tokens to the app that has the verifier, with the account's subject and not its id")
  func exchange() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let tokens = try await store.tokens(client)
      #expect(tokens.tokenType == "Bearer" && tokens.expiresIn == 600)
      #expect(tokens.country.alpha2 == "NL")
      let claims = try #require(store.store.core.accessToken.verify(tokens.accessToken, now: store.store.clock.now()))
      let subject = EntitlementList.subject(account: claims.accountID, app: "io.example.lumen")
      #expect(claims.appID == "io.example.lumen" && tokens.subject == subject)
      #expect(tokens.accountID == AccountID(subject: subject))
      let account = try await client.execute(
        uri: "/v1/account", method: .get, headers: [.authorization: "Bearer \(tokens.accessToken)"])
      let profile = try account.message(AccountMessage.self)
      #expect(profile == AccountMessage(subject: subject, country: .netherlands))
      for hidden in [tokens.accessToken, tokens.refreshToken, String(buffer: account.body)] {
        let texts = hidden.split(separator: ".").map {
          String(decoding: Base64URL.decode(String($0)) ?? [], as: UTF8.self)
        }
        #expect(([hidden] + texts).allSatisfy { !$0.contains(claims.accountID) })
      }
    }
  }

  @Test(
    "ACC-9: an intercepted code is useless without verifier, client and address",
    arguments: [
      ["code_verifier": String(repeating: "x", count: 43)], ["code_verifier": "short"],
      ["code_verifier": LoginStore.verifier.sha256Base64URL], ["code_verifier": LoginStore.verifier + "\n"],
      ["client_id": "io.example.tideline"], ["redirect_uri": "http://127.0.0.1/callback"],
      ["redirect_uri": "io.example.tideline://onside"], ["code": "not-a-code"],
      ["redirect_uri": LoginStore.redirect + "/"], ["redirect_uri": LoginStore.redirect + "?x=1"],
      ["redirect_uri": LoginStore.redirect + "#x"], ["redirect_uri": LoginStore.redirect.uppercased()],
      ["redirect_uri": "io.example.lumen://user@onside"], ["redirect_uri": "io.example.lumen://onside:1"],
      ["redirect_uri": "https://onside"],
    ])
  func intercepted(changes: [String: String]) async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await store.logIn(browser)
      let code = try #require(browser.answer["code"])
      let refused = try await LoginStore.token(client, parameters: LoginStore.exchange(code, changes: changes))
      #expect(refused.status == .badRequest)
      let error = try refused.error
      #expect(error == "invalid_grant")
      // The rightful app can still use it.
      let status = try await LoginStore.token(client, parameters: LoginStore.exchange(code)).status
      #expect(status == .ok)
    }
  }

  @Test(
    "Malformed requests are named as RFC 6749 says",
    arguments: [
      (["grant_type": nil], "invalid_request"), (["grant_type": "password"], "unsupported_grant_type"),
      (["code": nil], "invalid_request"), (["code_verifier": nil], "invalid_request"),
      (["redirect_uri": nil], "invalid_request"), (["client_id": nil], "invalid_client"),
      (["client_id": "io.example.nobody"], "invalid_client"),
    ] as [([String: String?], String)])
  func malformed(changes: [String: String?], error: String) async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let response = try await LoginStore.token(client, parameters: LoginStore.exchange("code", changes: changes))
      let actualError = try response.error
      #expect(actualError == error)
      #expect(response.headers[.cacheControl] == "no-store")
    }
  }

  @Test("ACC-9: a code lives a minute", arguments: [(59, true), (60, false)])
  func expiry(seconds: Int, isGood: Bool) async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await store.logIn(browser)
      store.store.clock.advance(by: .seconds(seconds))
      let response = try await LoginStore.token(
        client, parameters: LoginStore.exchange(try #require(browser.answer["code"])))
      #expect((response.status == .ok) == isGood)
    }
  }

  @Test("ACC-9: a code that comes again takes back what it gave")
  func replay() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let browser = Browser(client)
      try await store.logIn(browser)
      let code = try #require(browser.answer["code"])
      let first = try await LoginStore.token(client, parameters: LoginStore.exchange(code)).tokens
      let error = try await LoginStore.token(client, parameters: LoginStore.exchange(code)).error
      #expect(error == "invalid_grant")
      let secondError = try await LoginStore.token(client, parameters: LoginStore.refresh(first.refreshToken)).error
      #expect(secondError == "invalid_grant")
    }
  }

  @Test("ACC-9: a session of an earlier version goes on with the id that it knows, and gets the subject beside it")
  func earlierSession() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let first = try await store.tokens(client)
      let account = store.store.account(of: first)
      // As the sessions table of an earlier version is after the update.
      try await store.store.core.dependencies.database.write {
        _ = try $0.execute("UPDATE sessions SET is_pairwise = 0")
      }
      let second = try await LoginStore.token(client, parameters: LoginStore.refresh(first.refreshToken)).tokens
      #expect(second.accountID == account && second.subject == first.subject)
      let again = try await store.tokens(client)
      #expect(again.accountID == first.accountID && again.accountID != account)
    }
  }

  @Test("ACC-15: a refresh rotates the token; the answer is given again for 30 seconds after it was used")
  func successor() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let first = try await store.tokens(client)
      let second = try await LoginStore.token(client, parameters: LoginStore.refresh(first.refreshToken)).tokens
      #expect(second.refreshToken != first.refreshToken)
      let outcome = try await store.call(client, accessToken: second.accessToken)
      #expect(outcome == .ok)
      store.store.clock.advance(by: .seconds(30))
      let again = try await LoginStore.token(client, parameters: LoginStore.refresh(first.refreshToken)).tokens
      #expect(again.refreshToken == second.refreshToken)
      let third = try await LoginStore.token(client, parameters: LoginStore.refresh(second.refreshToken)).tokens
      #expect(third.refreshToken != second.refreshToken)
    }
  }

  @Test("ACC-14: an app that never got the answer of its refresh comes back days later with the token that it has")
  func lostAnswer() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      var held = try await store.tokens(client)
      for _ in 0..<3 {
        let lost = try await LoginStore.token(client, parameters: LoginStore.refresh(held.refreshToken)).tokens
        store.store.clock.advance(by: .seconds(3 * 86400))
        held = try await LoginStore.token(client, parameters: LoginStore.refresh(held.refreshToken)).tokens
        #expect(held.refreshToken == lost.refreshToken)
        let outcome = try await store.call(client, accessToken: held.accessToken)
        #expect(outcome == .ok)
        store.store.clock.advance(by: .seconds(3 * 86400))
      }
    }
  }

  @Test("ACC-15: reuse after the window revokes the family")
  func reuse() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let first = try await store.tokens(client)
      let second = try await LoginStore.token(client, parameters: LoginStore.refresh(first.refreshToken)).tokens
      let outcome = try await store.call(client, accessToken: second.accessToken)
      #expect(outcome == .ok)
      store.store.clock.advance(by: .seconds(31))
      let error = try await LoginStore.token(client, parameters: LoginStore.refresh(first.refreshToken)).error
      #expect(error == "invalid_grant")
      let secondError = try await LoginStore.token(client, parameters: LoginStore.refresh(second.refreshToken)).error
      #expect(secondError == "invalid_grant")
    }
  }

  @Test("ACC-15: a call with an older access token does not count as the arrival of the newer one")
  func olderAccessToken() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let first = try await store.tokens(client)
      let second = try await LoginStore.token(client, parameters: LoginStore.refresh(first.refreshToken)).tokens
      _ = try await LoginStore.token(client, parameters: LoginStore.refresh(second.refreshToken)).tokens
      let outcome = try await store.call(client, accessToken: first.accessToken)
      #expect(outcome == .ok)
      let secondOutcome = try await store.call(client, accessToken: second.accessToken)
      #expect(secondOutcome == .ok)
      store.store.clock.advance(by: .seconds(31))
      let status = try await LoginStore.token(client, parameters: LoginStore.refresh(second.refreshToken)).status
      #expect(status == .ok)
    }
  }

  @Test("The arrival of a refresh is written once, however many calls follow")
  func oneWrite() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let first = try await store.tokens(client)
      let second = try await LoginStore.token(client, parameters: LoginStore.refresh(first.refreshToken)).tokens
      for _ in 0..<3 {
        let actualOutcome = try await store.call(client, accessToken: second.accessToken)
        #expect(actualOutcome == .ok)
      }
      let confirmed = try await store.confirmedAt()
      #expect(confirmed == store.store.clock.now())
      // The store caches the confirmation: later calls do not read it from the database.
      try await store.forgetConfirmation()
      let outcome = try await store.call(client, accessToken: second.accessToken)
      #expect(outcome == .ok)
      let confirmedAt = try await store.confirmedAt()
      #expect(confirmedAt == nil)
    }
  }

  @Test("ACC-14: a token that is newer than a restored backup goes on, and the one before it ends the session")
  func restoredBackup() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      var held = [try await store.tokens(client).refreshToken]
      for _ in 0..<3 {
        held.append(
          try await LoginStore.token(client, parameters: LoginStore.refresh(held[held.count - 1])).tokens.refreshToken)
      }
      try await store.store.core.dependencies.database.write { try $0.execute("UPDATE sessions SET generation = 2") }
      let next = try await LoginStore.token(client, parameters: LoginStore.refresh(held[3])).tokens
      #expect(!held.contains(next.refreshToken))
      let error = try await LoginStore.token(client, parameters: LoginStore.refresh(held[2])).error
      #expect(error == "invalid_grant")
    }
  }

  @Test("ACC-15: a token two generations old revokes the family at once")
  func oldGeneration() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let first = try await store.tokens(client)
      let second = try await LoginStore.token(client, parameters: LoginStore.refresh(first.refreshToken)).tokens
      let third = try await LoginStore.token(client, parameters: LoginStore.refresh(second.refreshToken)).tokens
      let error = try await LoginStore.token(client, parameters: LoginStore.refresh(first.refreshToken)).error
      #expect(error == "invalid_grant")
      let secondError = try await LoginStore.token(client, parameters: LoginStore.refresh(third.refreshToken)).error
      #expect(secondError == "invalid_grant")
    }
  }

  @Test("ACC-15: a hundred refreshes at once give one and the same successor")
  func concurrent() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let first = try await store.tokens(client)
      let successors = try await withThrowingTaskGroup(of: String.self) { group in
        for _ in 0..<100 {
          group.addTask {
            try await LoginStore.token(client, parameters: LoginStore.refresh(first.refreshToken)).tokens.refreshToken
          }
        }
        return try await group.reduce(into: Set<String>()) { $0.insert($1) }
      }
      #expect(successors.count == 1)
    }
  }

  @Test("ACC-15: a forged token does nothing to the session")
  func forged() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let tokens = try await store.tokens(client)
      let parts = tokens.refreshToken.split(separator: ".")
      for forged in [
        "\(parts[0]).0.\(parts[2])", "\(parts[0]).9.\(parts[2])", "\(parts[0]).1.AAAA", "x.1.\(parts[2])", "", "a.b",
      ] {
        let status = try await LoginStore.token(client, parameters: LoginStore.refresh(forged)).status
        #expect(status == .badRequest)
      }
      let other = try await LoginStore.token(
        client, parameters: LoginStore.refresh(tokens.refreshToken, client: "io.example.tideline"))
      let error = try other.error
      #expect(error == "invalid_grant")
      let secondStatus = try await LoginStore.token(client, parameters: LoginStore.refresh(tokens.refreshToken)).status
      #expect(secondStatus == .ok)
    }
  }

  @Test("A revoked session is over, and revoking says nothing about what was there", arguments: [true, false])
  func revoke(byAccessToken: Bool) async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let tokens = try await store.tokens(client)
      func revoke(_ token: String, by app: String) async throws -> HTTPResponse.Status {
        try await LoginStore.token(client, parameters: ["token": token, "client_id": app], path: "/oauth/revoke").status
      }
      let token = byAccessToken ? tokens.accessToken : tokens.refreshToken
      let outcome = try await revoke("nonsense", by: "io.example.lumen")
      #expect(outcome == .ok)
      let secondOutcome = try await revoke(token, by: "io.example.tideline")
      #expect(secondOutcome == .ok)
      let refreshed = try await LoginStore.token(client, parameters: LoginStore.refresh(tokens.refreshToken)).tokens
      let thirdOutcome = try await revoke(byAccessToken ? token : refreshed.refreshToken, by: "io.example.lumen")
      #expect(thirdOutcome == .ok)
      let error = try await LoginStore.token(client, parameters: LoginStore.refresh(refreshed.refreshToken)).error
      #expect(error == "invalid_grant")
    }
  }

  @Test("ACC-14: a removed account is refused with invalid_grant, and its number is free again")
  func removed() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let tokens = try await store.tokens(client)
      try await store.store.core.accounts.remove(store.store.account(of: tokens))
      let error = try await LoginStore.token(client, parameters: LoginStore.refresh(tokens.refreshToken)).error
      #expect(error == "invalid_grant")
      let account = try await client.execute(
        uri: "/v1/account", method: .get, headers: [.authorization: "Bearer \(tokens.accessToken)"])
      #expect(account.status == .unauthorized)
      let again = try await store.tokens(client)
      #expect(again.accountID != tokens.accountID)
    }
  }

  @Test("A session that was not used for half a year has ended")
  func idle() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let tokens = try await store.tokens(client)
      store.store.clock.advance(by: .seconds(180 * 86400))
      let error = try await LoginStore.token(client, parameters: LoginStore.refresh(tokens.refreshToken)).error
      #expect(error == "invalid_grant")
    }
  }

  @Test("ACC-17: a changed region shows in the account and in the next refresh, and wakes waiting syncs")
  func region() async throws {
    let store = try await LoginStore()
    try await store.test { client in
      let tokens = try await store.tokens(client)
      let sync = try await client.execute(
        uri: "/v1/sync", method: .get, headers: [.authorization: "Bearer \(tokens.accessToken)"])
      let cursor = try WireCoding.decoder().decode(SyncMessage.self, from: Data(sync.body.readableBytesView)).cursor
      async let waiting = client.execute(
        uri: "/v1/sync?cursor=\(cursor)&wait=25", method: .get,
        headers: [.authorization: "Bearer \(tokens.accessToken)"])
      try await store.store.untilWaiting(1)
      let browser = Browser(client)
      try await store.logIn(browser)
      try await browser.get("/account")
      try await browser.submit("/account", with: ["country": "DE"])
      #expect(browser.html.contains("Move to Germany?") && browser.html.contains("aren’t charged at the old price"))
      let before = try await LoginStore.token(client, parameters: LoginStore.refresh(tokens.refreshToken)).tokens
      #expect(before.country.alpha2 == "NL")
      try await browser.submit("/account")
      #expect(browser.html.contains("Region saved: Germany."))
      let answer = try WireCoding.decoder().decode(
        SyncMessage.self, from: Data(try await waiting.body.readableBytesView))
      #expect(answer.country.alpha2 == "DE")
      let alpha2 = try await LoginStore.token(client, parameters: LoginStore.refresh(tokens.refreshToken)).tokens
        .country.alpha2
      #expect(alpha2 == "DE")
    }
  }
}

extension LoginStore {
  /// Makes a call of the account.
  fileprivate func call(_ client: any TestClientProtocol, accessToken: String) async throws -> HTTPResponse.Status {
    try await client.execute(
      uri: "/v1/account", method: .get, headers: [.authorization: "Bearer \(accessToken)"]
    ) { $0.status }
  }

  fileprivate func confirmedAt() async throws -> Date? {
    try await store.core.dependencies.database.read {
      try $0.row("SELECT confirmed_at FROM sessions")?.optionalDate("confirmed_at")
    }
  }

  fileprivate func forgetConfirmation() async throws {
    try await store.core.dependencies.database.write { try $0.execute("UPDATE sessions SET confirmed_at = NULL") }
  }
}

extension TestResponse {
  fileprivate var error: String {
    get throws { try WireCoding.decoder().decode(TokenErrorMessage.self, from: Data(body.readableBytesView)).error }
  }

  fileprivate var tokens: TokenMessage {
    get throws { try WireCoding.decoder().decode(TokenMessage.self, from: Data(body.readableBytesView)) }
  }
}
