import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import StripeDouble
import Testing

@testable import OnsideStore
@testable import StoreSales

/// Renewals while the provider gives no answer, for two days.
@Suite("Stripe: an outage", .timeLimit(.minutes(5)))
struct StripeOutageTests {
  @Test(
    "SUB-2: after two days without an answer a renewal is charged once, within ten minutes and without a message",
    arguments: [StripeFault.cutBefore, .unauthorized], [false, true])
  func outage(fault: StripeFault, isCharged: Bool) async throws {
    try await StripeStore.run { shop in
      let order = try await shop.order("pro")
      try await shop.pay(order, with: .offered("card", save: false, keep: true))
      try await shop.enter()
      let outcome = try await shop.confirm(order)
      #expect(outcome == .paid)
      try await shop.tell()
      let subscriber = Subscriber(shopper: shop.shopper, purchase: try await shop.shopper.order(order.id))
      let end = try #require(subscriber.purchase.expiresAt)
      try await subscriber.pass(to: end - 7200)
      if isCharged {
        shop.stripe.next(.answerLost, on: "POST payment_intents")
        while shop.stripe.payments.count == 1, shop.clock.now() < end {
          try await subscriber.pass(to: shop.clock.now() + 60)
        }
      }
      shop.stripe.next(fault, times: 10_000)
      for time in stride(from: -3000, through: 2 * 86_400, by: 600) {
        try await subscriber.pass(to: end + TimeInterval(time))
      }
      #expect(shop.stripe.payments.count == (isCharged ? 2 : 1))
      let open = try await subscriber.renewals()
      #expect(open.map(\.state.stage) == [.processing])
      shop.stripe.forgetFaults()
      try await subscriber.pass(to: end + 2 * 86_400 + 600)
      let renewals = try await subscriber.renewals()
      #expect(renewals.map(\.state.stage) == [.paid])
      #expect(renewals.map(\.expiresAt) == [Period.oneMonth.adding(to: end)])
      #expect(shop.stripe.payments.count == 2)
      let messages = try await subscriber.told()
      #expect(messages.isEmpty)
      let faults = try await subscriber.faults()
      #expect(faults == [])
    }
  }
}
