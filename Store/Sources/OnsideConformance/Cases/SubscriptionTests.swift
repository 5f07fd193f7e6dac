import ConformanceTable
import Foundation
import OnsideKit
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

  private static func renewals(of first: OnsidePaymentTransaction, in app: Listener) -> [OnsidePaymentTransaction] {
    app.updates.filter { $0.id != first.id && $0.originalTransactionIdentifier == first.transactionIdentifier }
  }
}
