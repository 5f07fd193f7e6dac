import Foundation
import HummingbirdTesting
import NIOCore
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreSales

@Suite("Offerings", .timeLimit(.minutes(5)))
struct OfferingTests {
  private func offerings(_ shopper: Shopper) async throws -> OfferingsMessage {
    let body = try await shopper.get("/v1/offerings").body
    return try WireCoding.decoder().decode(OfferingsMessage.self, from: Data(String(buffer: body).utf8))
  }

  @Test("PRD-11: apps are told what the operator has put together, in its order, and which one is to be shown")
  func told() async throws {
    try await TestStore().shop { shopper in
      let actualOfferings = try await offerings(shopper)
      #expect(actualOfferings == OfferingsMessage(current: nil, offerings: []))
      let (service, app) = (shopper.store.core.offerings, TestShop.app.id)
      let plans = try Offering(id: "plans", metadata: ["layout": "wide"], productIDs: ["pro"])
      try await service.save(plans, of: app, isCurrent: true)
      try await service.save(try Offering(id: "extras", productIDs: ["coins", "remove_ads"]), of: app)
      try await service.save(try Offering(id: "plans", productIDs: ["pro", "coins"]), of: app)
      let secondOfferings = try await offerings(shopper)
      #expect(
        secondOfferings
          == OfferingsMessage(
            current: "plans",
            offerings: [
              OfferingMessage(id: "plans", productIDs: ["pro", "coins"]),
              OfferingMessage(id: "extras", productIDs: ["coins", "remove_ads"]),
            ]))
      try await service.save(try Offering(id: "plans", productIDs: ["pro"]), of: app, isCurrent: false)
      let current = try await offerings(shopper).current
      #expect(current == nil)
      #expect(try await service.remove("plans", of: app))
      #expect(try await !service.remove("plans", of: app))
      let ids = try await offerings(shopper).offerings.map(\.id)
      #expect(ids == ["extras"])
      let all = try await service.offerings(of: "io.example.other").all
      #expect(all.isEmpty)
    }
  }

  @Test("PRD-11: an offering of unknown, repeated or no products is refused, and so is one too many")
  func refused() async throws {
    try await TestStore().shop { shopper in
      let (service, app) = (shopper.store.core.offerings, TestShop.app.id)
      await #expect(throws: Offering.Malformed.self) {
        try await service.save(try Offering(id: "plans", productIDs: ["pro", "unknown"]), of: app)
      }
      #expect(throws: Offering.Malformed.self) { try Offering(id: "plans", productIDs: []) }
      #expect(throws: Offering.Malformed.self) { try Offering(id: "plans", productIDs: ["pro", "pro"]) }
      #expect(throws: Offering.Malformed.self) { try Offering(id: "two words", productIDs: ["pro"]) }
      #expect(throws: Offering.Malformed.self) {
        try Offering(id: "plans", metadata: ["a": String(repeating: "x", count: 20_000)], productIDs: ["pro"])
      }
      for number in 0..<Offering.limit {
        try await service.save(try Offering(id: "o\(number)", productIDs: ["pro"]), of: app)
      }
      await #expect(throws: Offering.Malformed.self) {
        try await service.save(try Offering(id: "more", productIDs: ["pro"]), of: app)
      }
      try await service.save(try Offering(id: "o0", productIDs: ["coins"]), of: app)
    }
  }
}
