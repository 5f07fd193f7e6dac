import ConformanceTable
import Foundation
import OnsideKit
import OnsideStore
import Testing

@MainActor
@Suite("Subscriptions", .serialized, .timeLimit(.minutes(5)))
struct SubscriptionTests {
  @Test("STO-9, SUB-1: a subscription renews in its time, and the device is told of each period")
  func renews() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let first = try await device.buy(ExampleProducts.monthly)
      try await device.finish(first)
      for count in 1...2 {
        try await system.letTimePass(seconds: 31 * 86_400)
        try await device.app.until { Set(Self.renewals(of: first, in: $0).map(\.id)).count == count }
      }
      #expect(Self.renewals(of: first, in: device.app).allSatisfy { $0.deliveryReason == .renewed })
    }
  }

  @Test(
    "SUB-13: a tester who is moved two months ahead hears of both renewals, and another one of nothing",
    .columns(.store, because: "a local store has a clock of its own"))
  func testersClock() async throws {
    try await TestedSystem.run { system in
      let (user, other) = (system.user(), system.user())
      let (device, beside) = (try await system.signedInDevice(of: user), try await system.signedInDevice(of: other))
      let first = try await device.buy(ExampleProducts.monthly)
      try await device.finish(first)
      try await beside.finish(try await beside.buy(ExampleProducts.monthly))
      let account = try await system.account(of: user).id
      _ = try await system.operate { try await AccountClock(of: account, core: $0).advance(by: 62 * 86_400) }
      try await device.app.until { Set(Self.renewals(of: first, in: $0).map(\.id)).count == 2 }
      #expect(Self.renewals(of: first, in: device.app).allSatisfy { $0.deliveryReason == .renewed })
      #expect(await device.client.entitlements.map(\.isActive) == [true])
      #expect(try await system.orders(of: other).count == 1)
    }
  }

  private static func renewals(of first: OnsidePaymentTransaction, in app: Listener) -> [OnsidePaymentTransaction] {
    app.updates.filter { $0.id != first.id && $0.originalTransactionIdentifier == first.transactionIdentifier }
  }
}
