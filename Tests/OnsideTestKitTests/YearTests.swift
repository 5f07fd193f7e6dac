import Foundation
import OnsideCommerce
import OnsideKit
import OnsideTestKit
import Testing

// What follows is shown in the documentation (Year.md), word for word.

/// The app unlocks what the SDK says, and keeps no record of its own.
@MainActor
final class Editor {
  var canExport: Bool {
    get async { await Onside.entitlements.contains { $0.productIdentifier == "pro" && $0.isActive } }
  }

  /// Whether to ask the user to look at their payment method.
  var asksForCard: Bool {
    get async throws { try await Onside.subscriptionStatus(group: "plans").state == .inGracePeriod }
  }
}

@MainActor
@Suite("A year of a subscription", .timeLimit(.minutes(5)))
struct YearTests {
  @Test("The editor exports from the trial's first day to the subscription's last, and at no other time")
  func year() async throws {
    let session = OnsideTestSession(
      selling: .subscription("pro", price: "9.99", group: "plans", freeTrial: .weeks(2), graceDays: 16))
    let (phone, editor) = (session.device(), Editor())
    phone.launch()
    let pro = session.subscription("pro")

    #expect(try await !phone.run { await editor.canExport })

    // A trial, which is paid for an hour before its end.
    try await phone.buy("pro")
    #expect(try await phone.run { await editor.canExport })
    try await session.advance(by: .weeks(2))
    #expect(pro.transactions.map(\.price.minorUnits) == [0, 999])

    // Half a year of renewals.
    try await session.advance(by: .months(6))
    #expect(pro.transactions.count == 8)
    #expect(try await phone.run { await editor.canExport })

    // The card is declined: the editor still exports, and asks for another card.
    try pro.fail(.cardDeclined)
    try await session.advance(by: .months(1))
    #expect(pro.state == .inGracePeriod)
    #expect(try await phone.run { try await editor.asksForCard })
    #expect(try await phone.run { await editor.canExport })

    // Another card, within the grace period.
    try pro.fixBilling()
    try await session.settle()
    #expect(pro.state == .subscribed)
    #expect(try await !phone.run { try await editor.asksForCard })

    // A price that needs consent is declined: the subscription ends with its period.
    #expect(try pro.raisePrice(to: "15.99"))
    try pro.declinePriceRise()
    try await session.advance(by: .days(20))
    #expect(try await phone.run { await editor.canExport })
    try await session.advance(by: .months(1))
    #expect(pro.state == .expired)
    #expect(try await !phone.run { await editor.canExport })
    #expect(pro.transactions.allSatisfy { $0.price.minorUnits <= 999 })
  }
}
