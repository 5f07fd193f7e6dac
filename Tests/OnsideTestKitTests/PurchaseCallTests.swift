import OnsideKit
import OnsideTestKit
import Testing

/// An app that buys with one call, in a test session.
@MainActor
@Suite("Purchases with one call in a test session", .timeLimit(.minutes(5)))
struct PurchaseCallTests {
  private let session = OnsideTestSession(selling: .consumable("coins", price: "0.99"))

  private func purchase(on phone: TestDevice) async throws -> OnsidePurchaseResult {
    try await phone.run {
      let coins = try #require(try await Onside.products(for: ["coins"]).products.first)
      return try await Onside.defaultPaymentQueue().purchase(coins)
    }
  }

  @Test("QUE-27: it returns the paid transaction, after a login on demand")
  func paid() async throws {
    let phone = session.device()
    phone.launch()
    guard case .purchased(let transaction) = try await purchase(on: phone) else {
      Issue.record("expected a purchase")
      return
    }
    #expect(transaction.transactionState == .purchased)
    try await session.transaction(of: "coins", in: .finished)
  }

  @Test("QUE-27: a child's purchase is .pending, and comes to the observer once a parent agrees")
  func pending() async throws {
    let phone = session.device()
    phone.launch()
    session.askToBuyEnabled = true
    let result = try await purchase(on: phone)
    guard case .pending(let transaction) = result else {
      Issue.record("expected .pending, got \(result)")
      return
    }
    #expect(transaction.transactionState == .purchasing)
    #expect(session.approve("coins"))
    try await session.transaction(of: "coins", in: .finished)
  }

  @Test("QUE-27: an app that crashes while it waits gets the purchase at its next launch")
  func crash() async throws {
    let phone = session.device()
    phone.launch()
    phone.crash(at: .delivered)
    await #expect(throws: (any Error).self) { try await purchase(on: phone) }
    #expect(!phone.isRunning)
    phone.launch()
    try await session.transaction(of: "coins", in: .finished)
    #expect(session.transactions().count == 1)
  }
}
