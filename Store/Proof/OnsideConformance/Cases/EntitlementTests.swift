import ConformanceTable
import Foundation
import OnsideKit
import Testing

@MainActor
@Suite("Entitlements", .serialized, .timeLimit(.minutes(5)))
struct EntitlementTests {
  private static func active(on device: TestedDevice) async -> [String] {
    await device.client.entitlements.filter(\.isActive).map(\.productIdentifier).sorted()
  }

  private static func wait(for products: [String], on device: TestedDevice) async throws {
    for await entitlements in device.client.entitlementUpdates
    where entitlements.filter(\.isActive).map(\.productIdentifier).sorted() == products { return }
    throw CancellationError()
  }

  @Test("ENT-1, ENT-2: what was bought on one device may be used on another, a consumable not; a refund takes it away")
  func devices() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let phone = try await system.signedInDevice(of: user)
      let active = await Self.active(on: phone)
      #expect(active.isEmpty)
      _ = try await phone.buy(ExampleProducts.coins)
      let bought = try await phone.buy(ExampleProducts.adFree)
      try await Self.wait(for: [ExampleProducts.adFree], on: phone)
      let tablet = try await system.signedInDevice(of: user)
      let secondActive = await Self.active(on: tablet)
      #expect(secondActive == [ExampleProducts.adFree])
      try await system.refund(bought)
      try await Self.wait(for: [], on: tablet)
      let revocationDate = await tablet.client.entitlements.first?.revocationDate
      #expect(revocationDate != nil)
    }
  }

  @Test("ENT-3: the next launch knows without a network what may be used")
  func offline() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      _ = try await device.buy(ExampleProducts.adFree)
      try await Self.wait(for: [ExampleProducts.adFree], on: device)
      system.goOffline()
      try await device.restart(observed: false)
      let active = await Self.active(on: device)
      #expect(active == [ExampleProducts.adFree])
    }
  }

  @Test("ENT-5: a renewal is told, with its entitlement active until the new date")
  func renewal() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      try await device.finish(try await device.buy(ExampleProducts.monthly))
      try await Self.wait(for: [ExampleProducts.monthly], on: device)
      let end = try #require(await device.client.entitlements.first?.expirationDate)
      try await system.letTimePass(seconds: 31 * 86_400)
      var renewed: Date?
      for await entitlements in device.client.entitlementUpdates
      where entitlements.first?.expirationDate != end && entitlements.first?.isActive == true {
        renewed = entitlements.first?.expirationDate
        break
      }
      let next = try #require(renewed)
      #expect(next > end)
    }
  }

  @Test("ENT-7: the status tells what is renewed, at which price, and that it ends when it is switched off")
  func status() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let device = try await system.signedInDevice(of: user)
      let product = try await device.product(ExampleProducts.monthly)
      let group = try #require(product.subscriptionGroupIdentifier)
      let state = try await device.client.subscriptionStatus(group: group).state
      #expect(state == .notSubscribed)
      let bought = try await device.buy(ExampleProducts.monthly)
      let status = try await device.client.subscriptionStatus(group: group)
      #expect(status.state == .subscribed && status.willAutoRenew && status.expirationDate == bought.expirationDate)
      #expect(status.nextProductIdentifier == ExampleProducts.monthly && status.nextPrice?.money == product.price.money)
      try await system.stopRenewing(ExampleProducts.monthly, of: user)
      let stopped = try await device.client.subscriptionStatus(group: group)
      #expect(stopped.state == .subscribed && !stopped.willAutoRenew && stopped.nextPrice == nil)
      let secondState = try await device.client.subscriptionStatus(group: "another").state
      #expect(secondState == .notSubscribed)
      system.goOffline()
      await #expect(throws: OnsideFailure.offline) { try await device.client.subscriptionStatus(group: group) }
    }
  }

  @Test("ENT-6: a logout takes all entitlements away")
  func logout() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      _ = try await device.buy(ExampleProducts.adFree)
      try await Self.wait(for: [ExampleProducts.adFree], on: device)
      device.client.logout()
      let entitlements = await device.client.entitlements
      #expect(entitlements.isEmpty)
      try await device.client.login()
      let active = await Self.active(on: device)
      #expect(active == [ExampleProducts.adFree])
    }
  }
}
