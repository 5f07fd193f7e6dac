import Foundation
import OnsideCommerce
import OnsideKit
import OnsideTestKit
import Testing

@MainActor
@Suite("The article on selling several plans", .timeLimit(.minutes(5)))
struct SellPlansTests {
  /// Another plan than the monthly one, which has level 2.
  struct Other: Sendable {
    let level: Int
    let length: TestProduct.Length
  }

  private func session(with other: Other) -> OnsideTestSession {
    OnsideTestSession(
      selling: .subscription("pro_monthly", price: "9.99", group: "plans", level: 2),
      .subscription("pro_yearly", every: other.length, price: "79.99", group: "plans", level: other.level))
  }

  private func active(on phone: TestDevice) async throws -> [String] {
    try await phone.run { await Onside.entitlements.filter(\.isActive).map(\.productIdentifier) }
  }

  @Test(
    "SUB-5: a higher plan, or one of the same level and length, starts at once; the unused part goes back",
    arguments: [Other(level: 1, length: .years(1)), Other(level: 2, length: .months(1))])
  func atOnce(other: Other) async throws {
    let session = session(with: other)
    let phone = session.device()
    let shop = try phone.launchShop()
    try await phone.buy("pro_monthly")
    try await session.advance(by: .days(10))
    _ = try await phone.run { try await shop.change(to: "pro_yearly") }
    try await session.transaction(of: "pro_yearly", in: .finished)
    let activeProducts = try await active(on: phone)
    #expect(activeProducts == ["pro_yearly"])
    let back = try #require(session.store.transactions().first?.givenBack?.minorUnits)
    #expect((1..<999).contains(back))
  }

  @Test(
    "SUB-6: a lower plan, or one of the same level and another length, starts with the next renewal",
    arguments: [Other(level: 3, length: .years(1)), Other(level: 2, length: .years(1))])
  func later(other: Other) async throws {
    let session = session(with: other)
    let phone = session.device()
    let shop = try phone.launchShop()
    try await phone.buy("pro_monthly")
    _ = try await phone.run { try await shop.change(to: "pro_yearly") }
    #expect(!session.store.transactions().contains { $0.productIdentifier == "pro_yearly" && $0.state == .purchased })
    // What the buyer does on the page that the sample leads to.
    try session.subscription("pro_monthly").change(to: "pro_yearly")
    let status = session.subscription("plans").status
    #expect(status.nextProductIdentifier == "pro_yearly" && status.nextPrice?.decimalValue == Decimal(string: "79.99"))
    let activeProducts = try await active(on: phone)
    #expect(activeProducts == ["pro_monthly"])
    try await session.advance(by: .months(1))
    let secondActiveProducts = try await active(on: phone)
    #expect(secondActiveProducts == ["pro_yearly"])
  }
}
