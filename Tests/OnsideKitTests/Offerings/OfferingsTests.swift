import Foundation
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideKit

@MainActor
@Suite("Offerings", .timeLimit(.minutes(5)))
struct OfferingsTests {
  let world = ClientHarness()
  let store = StoreDouble()

  private func answer() {
    store.set {
      $0.offerings = .success(
        OfferingsMessage(
          current: "plans",
          offerings: [
            OfferingMessage(id: "plans", metadata: ["layout": "wide"], productIDs: ["gold", "gone", "coins"]),
            OfferingMessage(id: "elsewhere", productIDs: ["gone"]),
          ]))
      $0.products = .success(.netherlands([.named("coins"), .named("gold")], invalid: ["gone"]))
    }
  }

  private func launch(region: String = "NL") -> OnsideClient { .scripted(store, in: world, region: region) }

  @Test("PRD-11: groups come with prices, in the operator's order; what is not sold here is left out")
  func loads() async throws {
    answer()
    let client = launch()
    let offerings = try await client.offerings()
    #expect(offerings.all.map(\.id) == ["plans"] && offerings.current?.id == "plans")
    #expect(offerings["plans"]?.products.map(\.productIdentifier) == ["gold", "coins"])
    #expect(offerings["plans"]?.metadata == ["layout": "wide"] && offerings["elsewhere"] == nil)
    #expect(store.now.asked.map { Set($0.identifiers) } == [["gold", "gone", "coins"]])
    await client.close()
  }

  @Test("PRD-11: without a network they are those of the last time, also in the next launch, with their date")
  func offline() async throws {
    answer()
    let first = launch()
    let known = try await first.offerings()
    await first.close()
    for failure in [StoreError.connection, .serviceUnavailable] {
      store.set { $0.offerings = .failure(failure) }
      world.clock.advance(1000)
      let next = launch()
      let offerings = try await next.offerings()
      #expect(offerings == known)
      await next.close()
    }
    store.set { $0.products = .failure(.connection) }
    let other = launch(region: "US")
    await #expect(throws: OnsideProductsRequestError.serviceUnavailable) { try await other.offerings() }
    await other.close()
  }

  @Test("PRD-11: without a network and without a known region they are those of the region of the last time")
  func withoutRegion() async throws {
    answer()
    let file = OfferingFile(owner: "app", app: "app", dependencies: world.dependencies())
    let client = launch()
    let offerings = try await client.offerings()
    await client.close()
    file.write(offerings, for: nil, in: nil)
    #expect(file.read(for: nil, in: nil) == offerings)
    let taken = try #require(offerings.all.first?.products.first?.storefrontCountryCode)
    #expect(file.read(for: nil, in: CountryCode(alpha2: taken)) == offerings)
    #expect(file.read(for: nil, in: CountryCode(alpha2: "JP")) == nil)
  }

  @Test("PRD-11: what the store refuses is no old answer, and an app without offerings has none")
  func refused() async throws {
    answer()
    let client = launch()
    _ = try await client.offerings()
    store.set { $0.offerings = .failure(.appNotRegistered) }
    await #expect(throws: OnsideProductsRequestError.appNotRegistered) { try await client.offerings() }
    store.set { $0.offerings = .success(OfferingsMessage(current: nil, offerings: [])) }
    #expect(try await client.offerings().all.isEmpty)
    await client.close()
  }
}
