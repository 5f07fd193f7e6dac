import HTTPTypes
import Testing

@testable import OnsideStore
@testable import StoreSales

extension Browser {
  /// Expects that a screen of an app refuses a way back that is not the app's, an address that the store has not made,
  /// and an expired one. Advances
  /// the store's clock by `HostedPageToken.lifetime`.
  ///
  /// - Parameters:
  ///   - path: of the screen, without the token.
  ///   - address: makes the address of the screen with a way back; nil for the app's own.
  func expectRefusals(of path: String, at shop: ShopStore, address: (String?) async throws -> String) async throws {
    try await get(try await address("https://evil.example/"))
    #expect(status == .badRequest)
    try await get("\(path)/AAAA?app=\(ShopStore.app)")
    #expect(status == .gone)
    let old = try await address(nil)
    shop.store.advance(by: .seconds(HostedPageToken.lifetime))
    try await get(old)
    #expect(status == .gone)
  }
}
