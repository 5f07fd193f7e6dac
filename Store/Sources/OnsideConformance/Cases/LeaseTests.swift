import ConformanceTable
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit
import OnsideStore
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
  private static let silence: Int64 = 301

  @Test("QUE-22: of two running devices of an account only the one that ordered a consumable is told of it")
  func oneDevice() async throws {
    try await TestedSystem.run { world in
      let person = world.person()
      let phone = try await world.signedInDevice(of: person)
      let tablet = try await world.signedInDevice(of: person)
      let bought = try await phone.buy(ExampleProducts.coins)
      // What comes after it in the same sync shows that the tablet has heard of both.
      let marker = try await phone.buy(ExampleProducts.adFree)
      try await tablet.app.until { $0.updates.contains { $0.id == marker.id } }
      #expect(!tablet.app.updates.contains { $0.id == bought.id })
      #expect(!tablet.queue.transactions.contains { $0.id == bought.id })
      try await phone.finish(bought)
      try await world.network.until(Self.finishes, answered: 1)
      #expect(!tablet.app.updates.contains { $0.id == bought.id })
    }
  }

  @Test("QUE-22: another device gets it when the first has been silent; a claim whose answer is lost is made again")
  func silence() async throws {
    try await TestedSystem.run { world in
      let person = world.person()
      let phone = try await world.signedInDevice(of: person)
      let bought = try await phone.buy(ExampleProducts.coins)
      await phone.close()
      world.network.disturb(Self.claims, .loseAnswer, times: 2)
      let tablet = try await world.signedInDevice(of: person)
      // A poll that the phone had just sent may reach the store at any time, and is its last sign of life then.
      let time = Task {
        do {
          while true {
            try await world.letTimePass(seconds: Self.silence)
            // Not so often that the tablet's access token is always over before its call arrives.
            try await Task.sleep(for: .seconds(3))
          }
        } catch where !Task.isCancelled {
          Issue.record(error, "time stands still")
        }
      }
      defer { time.cancel() }
      let taken = try await tablet.app.first(.purchased)
      #expect(taken.id == bought.id && taken.deliveryReason == .elsewhere)
      #expect(world.network.count(Self.claims) >= 3)
      try await tablet.finish(taken)
      try await world.network.until(Self.finishes, answered: 1)
      #expect(tablet.app.states(of: bought.id) == [.purchased])
    }
  }

  @Test("QUE-22: the device that ordered gets its purchase at once after a restart, also without journal and cursor")
  func comesBack() async throws {
    try await TestedSystem.run { world in
      let person = world.person()
      let phone = try await world.signedInDevice(of: person)
      let bought = try await phone.buy(ExampleProducts.coins)
      try await phone.restart()
      try await phone.app.until { $0.updates.contains { $0.id == bought.id } }
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
      #expect(world.network.count(Self.claims) == 0)
    }
  }

  @Test("QUE-13: a finish in one turn with a logout reaches the store, also over a restart; then the session is ended")
  func finishAndLogout() async throws {
    try await TestedSystem.run { world in
      let person = world.person()
      let phone = try await world.signedInDevice(of: person)
      let bought = try await phone.buy(ExampleProducts.coins)
      world.network.disturb(.sdk, .refuse)
      phone.queue.finishTransaction(bought)
      phone.client.logout()
      try await phone.app.removal(of: bought)
      try await phone.restart()
      try await world.network.until(Self.finishes, made: 1)
      #expect(try await world.sessionsAreRevoked() == [false])
      world.network.heal()
      try await world.network.until(.call(.revoke), answered: 1)
      #expect(try await world.order(bought, of: person).state.finished)
      #expect(try await world.sessionsAreRevoked() == [true])
    }
  }

  @Test(
    "QUE-23: what a proxy or a captive portal answers to a finish is not the store's word",
    arguments: [200, 204, 302, 401, 403, 404, 409, 410, 422])
  func portal(status: Int) async throws {
    try await TestedSystem.run { world in
      let phone = try await world.signedInDevice(of: world.person())
      let bought = try await phone.buy(ExampleProducts.coins)
      world.network.disturb(Self.finishes, .answer(status, "<html>"), times: 2)
      try await phone.finish(bought)
      try await world.network.until(Self.finishes, answered: 1)
      #expect(world.network.count(Self.finishes) == 3)
      #expect(try await world.order(bought, of: phone.person).state.finished)
      #expect(phone.queue.storefront?.countryCode == "NL")
    }
  }
}
