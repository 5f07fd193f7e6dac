import ConformanceTable
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit
import OnsideStore
import StoreSales
import StoreTestSupport
import Testing

/// Who delivers a consumable, and who is believed.
@MainActor
@Suite(
  "Leases and the store's own word", .serialized, .columns(.store, because: "a local store has no network between"),
  .timeLimit(.minutes(5)))
struct LeaseTests {
  private static let finishes = FaultProxy.Traffic.call(.finishOrder)
  private static let claims = FaultProxy.Traffic.call(.claimOrder)
  /// Longer than a store's lease, in seconds.
  private nonisolated static let silence: Int64 = 301
  /// How long a device may wait for a lease to end, in seconds: longer than its pauses after failures.
  private nonisolated static let rests = 61.0..<600

  @Test("QUE-22: of two running devices of an account only the one that ordered a consumable is told of it")
  func oneDevice() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let phone = try await system.signedInDevice(of: user)
      let tablet = try await system.signedInDevice(of: user)
      let bought = try await phone.buy(ExampleProducts.coins)
      // What comes after it in the same sync shows that the tablet has heard of both.
      let marker = try await phone.buy(ExampleProducts.adFree)
      try await tablet.app.until { $0.updates.contains { $0.id == marker.id } }
      #expect(!tablet.app.updates.contains { $0.id == bought.id })
      #expect(!tablet.queue.transactions.contains { $0.id == bought.id })
      try await phone.finish(bought)
      try await system.network.until(Self.finishes, answered: 1)
      #expect(!tablet.app.updates.contains { $0.id == bought.id })
    }
  }

  @Test("QUE-30, QUE-22: three that a silent device has bought are delivered on another one as three")
  func three() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let phone = try await system.signedInDevice(of: user)
      let bought = try await phone.buy(ExampleProducts.coins, quantity: 3)
      await phone.close()
      let tablet = try await system.signedInDevice(of: user) { Self.letTimePass(whileItRests: &$0, at: system) }
      let taken = try await tablet.app.first(.purchased)
      #expect(taken.id == bought.id && taken.payment.quantity == 3)
    }
  }

  @Test("QUE-22: another device gets it when the first has been silent; a claim whose answer is lost is made again")
  func silence() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let phone = try await system.signedInDevice(of: user)
      let bought = try await phone.buy(ExampleProducts.coins)
      await phone.close()
      system.network.disturb(Self.claims, with: .loseAnswer, times: 2)
      let tablet = try await system.signedInDevice(of: user) { Self.letTimePass(whileItRests: &$0, at: system) }
      let taken = try await tablet.app.first(.purchased)
      #expect(taken.id == bought.id && taken.deliveryReason == .elsewhere)
      #expect(system.network.count(Self.claims) >= 3)
      try await tablet.finish(taken)
      try await system.network.until(Self.finishes, answered: 1)
      #expect(tablet.app.states(of: bought.id) == [.purchased])
      // The phone asks the store first, is not given the purchase again, and sends its own finish.
      try await phone.restart()
      try await system.network.until(Self.finishes, answered: 2)
      #expect(phone.app.states(of: bought.id).isEmpty)
    }
  }

  /// Moves the store's clock whenever the device waits for a lease to end: time passes for both. A poll of the other
  /// device may reach the store at any time, also because the clock is moved, and is its last sign of life then: the
  /// device is told of another lease, and waits for its end, too.
  private static func letTimePass(whileItRests settings: inout TestedDevice.Settings, at system: TestedSystem) {
    settings.sleep = { [sleep = settings.sleep] seconds in
      guard Self.rests.contains(seconds) else { return try await sleep(seconds) }
      do { try await system.letTimePass(seconds: Self.silence) } catch {
        if !Task.isCancelled { Issue.record(error, "time stands still") }
        throw error
      }
    }
  }

  @Test(
    "QUE-22: the device that ordered gets its purchase again after a restart, by one claim, also without journal and cursor"
  )
  func comesBack() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let phone = try await system.signedInDevice(of: user)
      let bought = try await phone.buy(ExampleProducts.coins)
      try await phone.restart()
      try await phone.app.until { $0.updates.contains { $0.id == bought.id } }
      #expect(system.network.count(Self.claims) == 1)
      // It loses its journal and its place, and keeps its name.
      await phone.close()
      for name in phone.folder.names() where name.hasPrefix("cursor-") {
        try FileManager.default.removeItem(atPath: phone.folder.file(name))
      }
      for name in phone.folder.names(in: "transactions") {
        try FileManager.default.removeItem(atPath: phone.folder.file("transactions/\(name)"))
      }
      try await phone.restart()
      try await phone.app.until { $0.updates.contains { $0.id == bought.id } }
      #expect(system.network.count(Self.claims) == 1)
    }
  }

  @Test("QUE-13: a finish in one turn with a logout reaches the store, also over a restart; then the session is ended")
  func finishAndLogout() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let phone = try await system.signedInDevice(of: user)
      let bought = try await phone.buy(ExampleProducts.coins)
      system.network.disturb(.sdk, with: .refuse)
      phone.queue.finishTransaction(bought)
      phone.client.logout()
      try await phone.app.removal(of: bought)
      try await phone.restart()
      try await system.network.until(Self.finishes, made: 1)
      let sessionsAreRevoked = try await system.sessionsAreRevoked()
      #expect(sessionsAreRevoked == [false])
      system.network.heal()
      try await system.network.until(.call(.revoke), answered: 1)
      #expect(try await system.order(bought, of: user).state.finished)
      let secondSessionsAreRevoked = try await system.sessionsAreRevoked()
      #expect(secondSessionsAreRevoked == [true])
    }
  }

  @Test(
    "QUE-23: what a proxy or a captive portal answers to a finish is not the store's word",
    arguments: [200, 204, 302, 401, 403, 404, 409, 410, 422])
  func portal(status: Int) async throws {
    try await TestedSystem.run { system in
      let phone = try await system.signedInDevice(of: system.user())
      let bought = try await phone.buy(ExampleProducts.coins)
      system.network.disturb(Self.finishes, with: .answer(status, "<html>"), times: 2)
      try await phone.finish(bought)
      try await system.network.until(Self.finishes, answered: 1)
      #expect(system.network.count(Self.finishes) == 3)
      #expect(try await system.order(bought, of: phone.user).state.finished)
      #expect(phone.queue.storefront?.countryCode == "NL")
    }
  }
}
