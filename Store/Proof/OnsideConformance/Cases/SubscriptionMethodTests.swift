import ConformanceTable
import Foundation
import OnsideKit
import OnsideStore
import ScriptedBrowser
import StoreTestSupport
import StripeDouble
import Testing

/// The payment method of a subscription, on the page that the app opens.
@MainActor
@Suite(
  "Subscriptions: payment method", .serialized,
  .columns(.store, because: "a local store has no payment methods (HIS-2)"), .timeLimit(.minutes(5)))
struct SubscriptionMethodTests {
  @Test("SUB-17: the removal of a subscription's card ends its renewal; a saved card is not charged")
  func removed() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      subscriber.user.next(.paymentMethods) { try await $0.addCard("callback_twice") }
      try await subscriber.device.client.managePaymentMethods()
      subscriber.user.next(.paymentMethods) { try await $0.removeUsedCard() }
      try await subscriber.device.client.managePaymentMethods()
      try await subscriber.pass(to: try #require(subscriber.first.expirationDate) + 60)
      try await subscriber.waits(for: .expired)
      let amounts = try await system.amounts()
      #expect(amounts.isEmpty)
      let faults = try await subscriber.faults()
      #expect(faults.isEmpty)
    }
  }

  @Test("SUB-17: a renewal is charged to the card that paid, also when another card was saved since")
  func besideSaved() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      subscriber.user.next(.paymentMethods) { try await $0.addCard("declined") }
      try await subscriber.device.client.managePaymentMethods()
      try await subscriber.passPeriods(1)
      try await subscriber.waits(for: .subscribed)
      let amounts = try await system.amounts()
      #expect(amounts == [399])
      let faults = try await subscriber.faults()
      #expect(faults.isEmpty)
    }
  }

  @Test("SUB-17: the page on which a card is entered says what it is saved for; removed, its provider forgets it, too")
  func entered() async throws {
    try await TestedProvider.stripe.run { system, cashier in
      let stripe = try #require(cashier.stripe)
      let device = try await system.signedInDevice(of: system.user())
      device.user.next(.payment) { visit in
        try await cashier.pay(visit, with: .accepted) { page in
          #expect(
            page.text.contains(/each time .*Lumen Pro, monthly.* renews/) && page.text.contains("for nothing else"))
        }
      }
      try await device.finish(try await device.buy(ExampleProducts.monthly))
      #expect(stripe.savedMethods.count == 1)
      device.user.next(.paymentMethods) { try await $0.removeUsedCard() }
      try await device.client.managePaymentMethods()
      try await system.outboxEmpties()
      #expect(stripe.savedMethods.isEmpty)
    }
  }
}

extension Visit {
  /// Removes the card that the only subscription uses, the oldest one, and goes back into the app.
  fileprivate func removeUsedCard() async throws -> ScreenOutcome {
    let page = try await openLoggedIn()
    #expect(page.text.contains("Lumen Pro, monthly"))
    let asked = try await press("remove", onMethods: page)
    #expect(asked.text.contains("Which card should pay"))
    let removed = try await press("remove", onMethods: asked) { $0.set("replacement", to: "end") }
    #expect(removed.text.contains(/Choose a card for .*Lumen Pro, monthly/))
    return try await finishMethods(on: removed)
  }

  /// Adds a test card, and goes back into the app.
  fileprivate func addCard(_ card: String) async throws -> ScreenOutcome {
    try await finishMethods(
      on: try await press("add", onMethods: try await openLoggedIn()) { $0.set("card", to: card) })
  }

  private func press(
    _ act: String, onMethods page: Browser.Page, filling fill: (inout HTMLForm) -> Void = { _ in }
  ) async throws -> Browser.Page {
    guard var form = HTMLForm.all(in: page.html).last(where: { $0.buttons["do"]?.contains(act) == true }) else {
      throw BrowserFailure("the page of payment methods has no button for “\(act)”: \(page.text.prefix(500))")
    }
    form.set("do", to: act)
    fill(&form)
    return try await browser.submit(form, of: page)
  }
}
