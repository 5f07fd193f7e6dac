import ConformanceTable
import Foundation
import OnsideAPI
import OnsideKit
import StoreTestSupport
import Testing

@MainActor
@Suite("Sessions", .serialized, .timeLimit(.minutes(5)))
struct SessionTests {
  /// Longer than an access token lasts.
  private static let tokenLifetime = 700.0

  @Test(
    "ACC-13: a logout clears everything at once, also offline, and the store hears of it later",
    .columns(.store, because: "there is no network to disturb"))
  func logoutOffline() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let device = try await system.signedInDevice(of: user)
      system.network.disturb(.sdk, with: .refuse)
      device.client.logout()
      #expect(device.queue.storefront == nil)
      #expect(!device.folder.names().contains("session.json"))
      #expect(device.app.storefronts == ["NL", nil])
      try await system.network.until(.call(.revoke), made: 2)
      let sessionsAreRevoked = try await system.sessionsAreRevoked()
      #expect(sessionsAreRevoked == [false])
      // The device is off before it can tell; its next launch does.
      await device.close()
      system.network.heal()
      try await device.restart()
      try await system.network.until(.call(.revoke), answered: 1)
      let secondSessionsAreRevoked = try await system.sessionsAreRevoked()
      #expect(secondSessionsAreRevoked == [true])
      #expect(device.queue.storefront == nil)
    }
  }

  @Test(
    "ACC-14: network faults and server errors never log out", .columns(.store, because: "a local login has no tokens"))
  func faultsDoNotLogOut() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let client = device.client
      device.advance(seconds: Self.tokenLifetime)
      let faults: [(FaultProxy.Fault, OnsideSignedInAppsHistoryRequestError)] = [
        (.refuse, .connectionError), (.answer(503, ""), .serviceUnavailable), (.answer(500, "{}"), .serviceUnavailable),
        (.answer(429, "{}"), .serviceUnavailable), (.answer(400, "no JSON"), .connectionError),
        (.answer(401, "{}"), .connectionError), (.answer(200, "{}"), .connectionError),
      ]
      for (fault, expected) in faults {
        system.network.disturb(.refresh, with: fault)
        await #expect(throws: expected) { try await client.signedInAppsHistory() }
        #expect(device.queue.storefront?.countryCode == "NL")
        system.network.heal()
      }
      _ = try await client.signedInAppsHistory()
      #expect(device.app.storefronts == ["NL"])
      let sessionsAreRevoked = try await system.sessionsAreRevoked()
      #expect(sessionsAreRevoked == [false])
    }
  }

  @Test(
    "ACC-14: a session that the store has ended logs out by itself, once",
    .columns(.store, because: "a local login has no tokens"))
  func endedByTheStore() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user(), observed: false)
      device.observe()
      let session = try StolenSession(from: device)
      _ = try await system.post(.revoke, fields: ["token": session.refreshToken, "client_id": TestedSystem.app])
      device.advance(seconds: Self.tokenLifetime)
      await #expect(throws: OnsideSignedInAppsHistoryRequestError.notLoggedIn) {
        try await device.client.signedInAppsHistory()
      }
      try await device.app.until { $0.storefronts.contains(nil) }
      #expect(device.app.storefronts == [nil])
      #expect(device.queue.storefront == nil)
    }
  }

  @Test("ACC-14: an account that was removed logs its devices out with their next sync")
  func removedAccount() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let device = try await system.signedInDevice(of: user)
      try await system.remove(user)
      try await device.app.until { $0.storefronts == ["NL", nil] }
      #expect(!device.folder.names().contains { $0.hasSuffix("session.json") })
    }
  }

  @Test(
    "ACC-15: many tasks with an expired token make one refresh",
    .columns(.store, because: "a local login has no tokens"))
  func singleFlight() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user(), observed: false)
      let client = device.client
      device.advance(seconds: Self.tokenLifetime)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 { group.addTask { _ = try await client.signedInAppsHistory() } }
        try await group.waitForAll()
      }
      #expect(system.network.count(.refresh) == 1)
      #expect(system.network.count(.call(.history)) == 8)
    }
  }

  @Test(
    "ACC-15: a refresh whose answer is lost, or that arrives twice, keeps the session",
    .columns(.store, because: "a local login has no tokens"), arguments: [true, false])
  func lostAnswer(isLost: Bool) async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user(), observed: false)
      device.advance(seconds: Self.tokenLifetime)
      system.network.disturb(.refresh, with: isLost ? .loseAnswer : .twice, times: 1)
      _ = try await device.client.signedInAppsHistory()
      #expect(system.network.count(.refresh) == (isLost ? 2 : 1))
      // What the device holds now is good for the next refresh, too.
      device.advance(seconds: Self.tokenLifetime)
      _ = try await device.client.signedInAppsHistory()
      let sessionsAreRevoked = try await system.sessionsAreRevoked()
      #expect(sessionsAreRevoked == [false])
      #expect(device.queue.storefront?.countryCode == "NL")
    }
  }

  @Test(
    "ACC-14: a refresh whose answer never came, and a week without network after it, keep the session",
    .columns(.store, because: "a local login has no tokens"))
  func lostAnswerThenOffline() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user(), observed: false)
      device.advance(seconds: Self.tokenLifetime)
      system.network.disturb(.refresh, with: .loseAnswer)
      await #expect(throws: OnsideSignedInAppsHistoryRequestError.self) {
        try await device.client.signedInAppsHistory()
      }
      system.network.disturb(.sdk, with: .refuse)
      await device.close()
      try await system.letTimePass(seconds: 7 * 86400)
      system.network.heal()
      try await device.restart(observed: false)
      device.advance(seconds: 7 * 86400)
      _ = try await device.client.signedInAppsHistory()
      #expect(device.queue.storefront?.countryCode == "NL")
      let sessionsAreRevoked = try await system.sessionsAreRevoked()
      #expect(sessionsAreRevoked == [false])
    }
  }

  @Test(
    "ACC-15: an old refresh token is good for a short while only; then it ends the session for everybody",
    .columns(.store, because: "a local login has no tokens"))
  func reuse() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user(), observed: false)
      let stolen = try StolenSession(from: device)
      device.advance(seconds: Self.tokenLifetime)
      _ = try await device.client.signedInAppsHistory()
      let refreshToken = try StolenSession(from: device).refreshToken
      #expect(refreshToken != stolen.refreshToken)
      let answer = try await system.refresh(stolen)
      #expect(answer == 200)
      let sessionsAreRevoked = try await system.sessionsAreRevoked()
      #expect(sessionsAreRevoked == [false])
      try await system.letTimePass(seconds: 31)
      let secondAnswer = try await system.refresh(stolen)
      #expect(secondAnswer == 400)
      let secondSessionsAreRevoked = try await system.sessionsAreRevoked()
      #expect(secondSessionsAreRevoked == [true])
      device.advance(seconds: Self.tokenLifetime)
      await #expect(throws: OnsideSignedInAppsHistoryRequestError.notLoggedIn) {
        try await device.client.signedInAppsHistory()
      }
      #expect(device.queue.storefront == nil)
    }
  }

  @Test(
    "STO-5: who tries a page again that says the store is busy can log in",
    .columns(.store, because: "there is no network to disturb"))
  func busyPages() async throws {
    try await TestedSystem.run { system in
      system.network.disturb(.loginForms, with: .answer(503, "<h1>Busy</h1>", retryAfter: 1), times: 1)
      let device = try await system.signedInDevice(of: system.user(), observed: false)
      #expect(device.queue.storefront?.countryCode == "NL")
      #expect(system.network.exchanges.value.contains { $0.status == 503 })
    }
  }

  @Test("ACC-16: a restart restores the session without the network")
  func restartOffline() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      system.goOffline()
      try await device.restart(observed: false)
      #expect(device.queue.storefront?.countryCode == "NL")
      system.goOnline()
      if system.isOverHTTP { _ = try await device.client.signedInAppsHistory() }
      #expect(device.user.count(.login) == 1)
    }
  }

  @Test(
    "ACC-17: the region of a new account comes from its number, and can be changed at the sign-up",
    .columns(.store, because: "the file says the region, for everybody"))
  func regionAtSignUp() async throws {
    try await TestedSystem.run { system in
      let german = try await system.signedInDevice(of: system.user("+4915112345678"))
      #expect(german.queue.storefront?.countryCode == "DE")
      let traveller = system.user("+4915112345679")
      traveller.next(.login) { try await $0.logIn(country: "JP") }
      let device = try await system.signedInDevice(of: traveller)
      #expect(device.queue.storefront?.countryCode == "JP")
      let currencyCode = try await device.product(ExampleProducts.coins).price.currencyCode
      #expect(currencyCode == "JPY")
    }
  }

  @Test("ACC-17: a changed region changes the storefront within one sync")
  func regionMoves() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let device = try await system.signedInDevice(of: user)
      if system.isOverHTTP { try await system.network.until(.call(.sync), answered: 1) }
      try await system.move(user, to: "GB")
      try await device.app.until { $0.storefronts == ["NL", "GB"] }
      let currencyCode = try await device.product(ExampleProducts.adFree).price.currencyCode
      #expect(currencyCode == "GBP")
      try await device.restart(observed: false)
      #expect(device.queue.storefront?.countryCode == "GB")
    }
  }
}
