import Foundation
import OnsideCommerce
import OnsideKit
import OnsideTestKit
import Testing

/// An app made of the samples of the article on trials (OfferATrial.md), which stand here word for word.
@MainActor
private final class Samples {
  private(set) var said: [String] = []

  func shows() async throws {
    let products = try await Onside.products(for: ["pro_monthly"]).products
    for product in products {
      guard let offer = product.introductoryPrice, offer.paymentMode == .freeTrial else { continue }
      say("Free at first, then \(product.price.formatted) until you cancel")
    }
  }

  func sells() async throws {
    guard let product = try await Onside.products(for: ["pro_monthly"]).products.first else { return }
    switch try await Onside.defaultPaymentQueue().purchase(product) {
    case .purchased: say("Thank you.")  // the observer finishes the transaction
    case .pending, .cancelled, .loginDiscarded: break
    }
  }

  func letsOut() async throws {
    try await Onside.presentSubscriptionsManager(group: "plans")
  }

  private func say(_ text: String) { said.append(text) }
}

@MainActor
@Suite("The article on offering a trial", .timeLimit(.minutes(5)))
struct OfferATrialTests {
  private let app = Samples()
  private let session = OnsideTestSession(
    selling: .subscription("pro_monthly", price: "9.99", group: "plans", freeTrial: .weeks(2), graceDays: 16))

  private func isEntitled(on phone: TestDevice) async throws -> Bool {
    try await phone.run { await Onside.entitlements.contains { $0.isActive } }
  }

  @Test("PRD-9: the trial and the price that follows are shown to those who may have it, and to nobody again")
  func show() async throws {
    let phone = session.device()
    phone.launch()
    try await phone.run { try await app.shows() }
    let price = try await phone.product("pro_monthly").price
    #expect(app.said == ["Free at first, then \(price.formatted) until you cancel"])
    try await phone.run { try await app.sells() }
    try session.subscription("pro_monthly").expire()
    try await session.settle()
    try await phone.run { try await app.shows() }
    #expect(app.said.count == 2)
  }

  @Test("SUB-1: a trial costs nothing, renewals follow as transactions, and the entitlement is active in each of them")
  func sell() async throws {
    let phone = session.device()
    let observer = phone.launch()
    let pro = session.subscription("pro_monthly")
    try await phone.run { try await app.sells() }
    try await session.transaction(of: "pro_monthly", in: .finished)
    #expect(try await isEntitled(on: phone))
    #expect(pro.transactions.map(\.price.minorUnits) == [0])
    try await session.advance(by: .weeks(2))
    try await session.advance(by: .months(1))
    #expect(try await isEntitled(on: phone))
    #expect(pro.transactions.map(\.price.minorUnits) == [0, 999, 999])
    #expect(observer.delivered.suffix(2).allSatisfy { $0.deliveryReason == .renewed })
    try pro.fail(.cardDeclined)
    try await session.advance(by: .days(31))
    #expect(try await isEntitled(on: phone))
    #expect(pro.state == .inGracePeriod)
  }

  @Test("SUB-3: who stops in the trial keeps it to its end, is told of no price, and is never charged")
  func leave() async throws {
    let phone = session.device()
    phone.launch()
    let pro = session.subscription("pro_monthly")
    try await phone.run { try await app.sells() }
    #expect(pro.status.willAutoRenew && pro.status.nextPrice?.decimalValue == Decimal(string: "9.99"))
    try await phone.run { try await app.letsOut() }
    // What the buyer does on that page.
    try pro.switchOffRenewal()
    #expect(!pro.status.willAutoRenew && pro.status.nextPrice == nil)
    try await session.advance(by: .days(13))
    #expect(try await isEntitled(on: phone))
    try await session.advance(by: .days(2))
    #expect(try await !isEntitled(on: phone))
    try await session.advance(by: .months(6))
    #expect(session.store.transactions().map(\.price.minorUnits) == [0])
  }
}
