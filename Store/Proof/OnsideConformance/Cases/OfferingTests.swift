import ConformanceTable
import Foundation
import OnsideKit
import OnsideStore
import StoreSales
import Testing

/// Groups of products that the operator has put together.
@MainActor
@Suite("Offerings", .serialized, .timeLimit(.minutes(5)))
struct OfferingTests {
  @Test("PRD-11: they come with prices in the operator's order and can be bought, and are known without a network")
  func offerings() async throws {
    try await TestedSystem.run { system in
      try await system.offerPlans()
      let device = try await system.signedInDevice(of: system.user())
      let offerings = try await device.client.offerings()
      let plans = try #require(offerings.current)
      if system.isOverHTTP {
        #expect(offerings.all.map(\.id) == ["plans", "extras"] && plans.metadata == ["layout": "wide"])
        #expect(plans.products.map(\.productIdentifier) == [ExampleProducts.yearly, ExampleProducts.monthly])
      } else {
        // One of all products.
        #expect(offerings.all.count == 1 && plans.products.count == 5)
      }
      let monthly = try #require(plans.products.first { $0.productIdentifier == ExampleProducts.monthly })
      let product = try await device.product(ExampleProducts.monthly)
      #expect(monthly.price == product.price)
      let result = try await device.queue.purchase(monthly)
      guard case .purchased(let bought) = result else {
        Issue.record("expected a purchase, got \(result)")
        return
      }
      try await device.finish(bought)

      let known = try await device.client.offerings()
      system.goOffline()
      try await device.restart()
      let kept = try await device.client.offerings()
      #expect(kept.all == known.all && kept.current == known.current)
      #expect(abs(kept.date.timeIntervalSince(known.date)) < 1, "with their date")
    }
  }
}

extension TestedSystem {
  /// Puts the plans together, the yearly one first, to be shown first. A local store has one offering, of all products.
  func offerPlans() async throws {
    guard isOverHTTP else { return }
    let plans = try Offering(
      id: "plans", metadata: ["layout": "wide"], productIDs: [ExampleProducts.yearly, ExampleProducts.monthly])
    let extras = try Offering(id: "extras", productIDs: [ExampleProducts.coins])
    try await operate { core in
      try await core.offerings.save(plans, of: Self.app, isCurrent: true)
      try await core.offerings.save(extras, of: Self.app)
    }
  }
}
