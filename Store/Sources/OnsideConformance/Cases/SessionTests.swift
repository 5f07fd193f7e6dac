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
    try await TestedSystem.run { world in
      let person = world.person()
      let device = try await world.signedInDevice(of: person)
      world.network.disturb(.sdk, .refuse)
      device.client.logout()
      #expect(device.queue.storefront == nil)
      #expect(!device.folder.names().contains("session.json"))
      #expect(device.app.storefronts == ["NL", nil])
      try await world.network.until(.call(.revoke), made: 2)
      #expect(try await world.sessionsAreRevoked() == [false])
      // The device is off before it can tell; its next launch does.
      await device.close()
      world.network.heal()
      try await device.restart()
      try await world.network.until(.call(.revoke), answered: 1)
      #expect(try await world.sessionsAreRevoked() == [true])
      #expect(device.queue.storefront == nil)
    }
  }

  @Test(
    "ACC-14: network faults and server errors never log out", .columns(.store, because: "a local login has no tokens"))
  func faultsDoNotLogOut() async throws {
    try await TestedSystem.run { world in
      let device = try await world.signedInDevice(of: world.person())
      let client = device.client
      device.advance(seconds: Self.tokenLifetime)
      let faults: [(FaultProxy.Fault, OnsideSignedInAppsHistoryRequestError)] = [
        (.refuse, .connectionError), (.answer(503, ""), .serviceUnavailable), (.answer(500, "{}"), .serviceUnavailable),
        (.answer(429, "{}"), .serviceUnavailable), (.answer(400, "no JSON"), .connectionError),
        (.answer(401, "{}"), .connectionError), (.answer(200, "{}"), .connectionError),
      ]
      for (fault, expected) in faults {
        world.network.disturb(.refresh, fault)
        await #expect(throws: expected) { try await client.signedInAppsHistory() }
        #expect(device.queue.storefront?.countryCode == "NL")
        world.network.heal()
      }
      _ = try await client.signedInAppsHistory()
      #expect(device.app.storefronts == ["NL"])
      #expect(try await world.sessionsAreRevoked() == [false])
    }
  }

  @Test(
    "ACC-14: a session that the store has ended logs out by itself, once",
    .columns(.store, because: "a local login has no tokens"))
  func endedByTheStore() async throws {
    try await TestedSystem.run { world in
      let device = try await world.signedInDevice(of: world.person(), observed: false)
      device.observe()
      let session = try StolenSession(from: device)
      _ = try await world.post(.revoke, ["token": session.refreshToken, "client_id": TestedSystem.app])
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
    try await TestedSystem.run { world in
      let person = world.person()
      let device = try await world.signedInDevice(of: person)
      try await world.remove(person)
      try await device.app.until { $0.storefronts == ["NL", nil] }
      #expect(!device.folder.names().contains { $0.hasSuffix("session.json") })
    }
  }

  @Test(
    "ACC-15: many tasks with an expired token make one refresh",
    .columns(.store, because: "a local login has no tokens"))
  func singleFlight() async throws {
    try await TestedSystem.run { world in
      let device = try await world.signedInDevice(of: world.person(), observed: false)
      let client = device.client
      device.advance(seconds: Self.tokenLifetime)
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<8 { group.addTask { _ = try await client.signedInAppsHistory() } }
        try await group.waitForAll()
      }
      #expect(world.network.count(.refresh) == 1)
      #expect(world.network.count(.call(.history)) == 8)
    }
  }

  @Test(
    "ACC-15: a refresh whose answer is lost, or that arrives twice, keeps the session",
    .columns(.store, because: "a local login has no tokens"), arguments: [true, false])
  func lostAnswer(isLost: Bool) async throws {
    try await TestedSystem.run { world in
      let device = try await world.signedInDevice(of: world.person(), observed: false)
      device.advance(seconds: Self.tokenLifetime)
      world.network.disturb(.refresh, isLost ? .loseAnswer : .twice, times: 1)
      _ = try await device.client.signedInAppsHistory()
      #expect(world.network.count(.refresh) == (isLost ? 2 : 1))
      // What the device holds now is good for the next refresh, too.
      device.advance(seconds: Self.tokenLifetime)
      _ = try await device.client.signedInAppsHistory()
      #expect(try await world.sessionsAreRevoked() == [false])
      #expect(device.queue.storefront?.countryCode == "NL")
    }
  }

  @Test(
    "ACC-14: a refresh whose answer never came, and a week without network after it, keep the session",
    .columns(.store, because: "a local login has no tokens"))
  func lostAnswerThenOffline() async throws {
    try await TestedSystem.run { world in
      let device = try await world.signedInDevice(of: world.person(), observed: false)
      device.advance(seconds: Self.tokenLifetime)
      world.network.disturb(.refresh, .loseAnswer)
      await #expect(throws: OnsideSignedInAppsHistoryRequestError.self) {
        try await device.client.signedInAppsHistory()
      }
      world.network.disturb(.sdk, .refuse)
      await device.close()
      try await world.letTimePass(seconds: 7 * 86400)
      world.network.heal()
      try await device.restart(observed: false)
      device.advance(seconds: 7 * 86400)
      _ = try await device.client.signedInAppsHistory()
      #expect(device.queue.storefront?.countryCode == "NL")
      #expect(try await world.sessionsAreRevoked() == [false])
    }
  }

  @Test(
    "ACC-15: an old refresh token is good for a short while only; then it ends the session for everybody",
    .columns(.store, because: "a local login has no tokens"))
  func reuse() async throws {
    try await TestedSystem.run { world in
      let device = try await world.signedInDevice(of: world.person(), observed: false)
      let stolen = try StolenSession(from: device)
      device.advance(seconds: Self.tokenLifetime)
      _ = try await device.client.signedInAppsHistory()
      #expect(try StolenSession(from: device).refreshToken != stolen.refreshToken)
      #expect(try await world.refresh(stolen) == 200)
      #expect(try await world.sessionsAreRevoked() == [false])
      try await world.letTimePass(seconds: 31)
      #expect(try await world.refresh(stolen) == 400)
      #expect(try await world.sessionsAreRevoked() == [true])
      device.advance(seconds: Self.tokenLifetime)
      await #expect(throws: OnsideSignedInAppsHistoryRequestError.notLoggedIn) {
        try await device.client.signedInAppsHistory()
      }
      #expect(device.queue.storefront == nil)
    }
  }

  @Test("ACC-16: a restart restores the session without the network")
  func restartOffline() async throws {
    try await TestedSystem.run { world in
      let device = try await world.signedInDevice(of: world.person())
      world.goOffline()
      try await device.restart(observed: false)
      #expect(device.queue.storefront?.countryCode == "NL")
      world.goOnline()
      if world.isOverHTTP { _ = try await device.client.signedInAppsHistory() }
      #expect(device.person.count(.login) == 1)
    }
  }

  @Test(
    "ACC-17: the region of a new account comes from its number, and can be changed at the sign-up",
    .columns(.store, because: "the file says the region, for everybody"))
  func regionAtSignUp() async throws {
    try await TestedSystem.run { world in
      let german = try await world.signedInDevice(of: world.person("+4915112345678"))
      #expect(german.queue.storefront?.countryCode == "DE")
      let traveller = world.person("+4915112345679")
      traveller.next(.login) { try await $0.logIn(country: "JP") }
      let device = try await world.signedInDevice(of: traveller)
      #expect(device.queue.storefront?.countryCode == "JP")
      #expect(try await device.product(ExampleProducts.coins).price.currencyCode == "JPY")
    }
  }

  @Test("ACC-17: a changed region changes the storefront within one sync")
  func regionMoves() async throws {
    try await TestedSystem.run { world in
      let person = world.person()
      let device = try await world.signedInDevice(of: person)
      if world.isOverHTTP { try await world.network.until(.call(.sync), answered: 1) }
      try await world.move(person, to: "GB")
      try await device.app.until { $0.storefronts == ["NL", "GB"] }
      #expect(try await device.product(ExampleProducts.adFree).price.currencyCode == "GBP")
      try await device.restart(observed: false)
      #expect(device.queue.storefront?.countryCode == "GB")
    }
  }
}
