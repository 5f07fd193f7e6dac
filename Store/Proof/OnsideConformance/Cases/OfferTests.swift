import Foundation
import OnsideCommerce
import OnsideKit
import Testing

@MainActor
@Suite("Offers", .serialized, .timeLimit(.minutes(5)))
struct OfferTests {
  @Test("PRD-9: offers carry price, period and payment mode; an account that has subscribed in the group gets none")
  func introductory() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let trial = try #require(try await device.product(ExampleProducts.monthly).introductoryPrice)
      #expect(trial.price.decimalValue == 0 && trial.paymentMode == .freeTrial && trial.numberOfPeriods == 1)
      #expect(trial.period == .week(1))
      let upFront = try #require(try await device.product(ExampleProducts.yearly).introductoryPrice)
      #expect(upFront.price.decimalValue > 0 && upFront.paymentMode == .payUpFront)
      #expect(upFront.period == .year(1))
      let bought = try await device.buy(ExampleProducts.monthly)
      let sales = try await system.sales()
      #expect(sales.allSatisfy { $0.amount.minorUnits == 0 })
      #expect(bought.expirationDate != nil)
      for product in [ExampleProducts.monthly, ExampleProducts.yearly] {
        let introductoryPrice = try await device.product(product).introductoryPrice
        #expect(introductoryPrice == nil)
      }
      // Another account still gets the offer.
      let other = try await system.signedInDevice(of: system.user("+31612345679"))
      let secondIntroductoryPrice = try await other.product(ExampleProducts.monthly).introductoryPrice
      #expect(secondIntroductoryPrice == trial)
    }
  }
}
