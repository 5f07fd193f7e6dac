import ConformanceTable
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit
import OnsideStore
import ScriptedBrowser
import StoreSales
import Testing

@MainActor
@Suite("Gates", .serialized, .timeLimit(.minutes(5)))
struct GateTests {
  /// A payment that was enqueued in the Netherlands and is about to run where the account has moved meanwhile.
  private func moved(
    to country: String, in system: TestedSystem, product: String = ExampleProducts.adFree,
    _ prepare: (TestedDevice) -> Void
  ) async throws -> TestedDevice {
    let device = try await system.signedInDevice(of: system.user(), observed: false)
    prepare(device)
    try await device.add(product)
    try await device.app.until { !$0.completions.isEmpty }
    try await system.move(device.user, to: country)
    device.observe()
    return device
  }

  @Test("GAT-1: the gate is asked when the payment would run in another country, and only then")
  func onlyThen() async throws {
    try await TestedSystem.run { system in
      let device = try await moved(to: "GB", in: system) { _ in }
      let bought = try await device.app.first(.purchased)
      #expect(device.app.gates == [.gate(from: "NL", to: "GB")])
      #expect(bought.storefront.countryCode == "GB")
      try await device.app.until { $0.storefronts.contains("GB") }
      _ = try await device.buy(ExampleProducts.season)
      #expect(device.app.gates.count == 1)
    }
  }

  @Test(
    "GAT-1: after a login on demand in another region than the one assumed, the gate is asked",
    .columns(.store, because: "the file says the region, for everybody"))
  func afterLogin() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let assumed = try await system.device(of: user) { $0.region = "DE" }
      let countryCode = try await assumed.buy(ExampleProducts.coins).storefront.countryCode
      #expect(countryCode == "NL")
      #expect(assumed.app.gates == [.gate(from: "DE", to: "NL")])
      let right = try await system.device(of: user) { $0.region = "NL" }
      _ = try await right.buy(ExampleProducts.coins)
      #expect(right.app.gates.isEmpty)
    }
  }

  @Test("GAT-2: a delegate with the synchronous gate alone is asked by it; one with none agrees")
  func variants() async throws {
    try await TestedSystem.run { system in
      let no = SynchronousGate()
      let refused = try await moved(to: "GB", in: system) { $0.queue.delegate = no }
      try await refused.app.until { !$0.removals.isEmpty }
      #expect(no.asked == 1)
      let sales = try await system.sales()
      #expect(sales.isEmpty)
      refused.client.logout()
      let silent = SilentGate()
      let device = try await system.device(of: refused.user) { $0.region = "NL" }
      device.queue.delegate = silent
      try await device.add(ExampleProducts.adFree)
      let countryCode = try await device.app.first(.purchased).storefront.countryCode
      #expect(countryCode == "GB")
      withExtendedLifetime(silent) {}
    }
  }

  @Test("GAT-3: no removes the payment; it never fails, no order is made, nothing is charged")
  func no() async throws {
    try await TestedSystem.run { system in
      let device = try await moved(to: "GB", in: system) { $0.app.gate = { _, _ in false } }
      try await device.app.until { !$0.removals.isEmpty }
      #expect(device.app.updates.map(\.transactionState) == [.purchasing])
      #expect(device.queue.transactions.isEmpty)
      #expect(device.user.count(.payment) == 0)
      let booked = try await system.booked(of: device.user)
      #expect(booked.isEmpty)
      // Waits for the disk.
      await device.close()
      #expect(device.files.isEmpty)
    }
  }

  @Test(
    "GAT-4: yes makes the order at the new region's price, which the page shows before it is charged",
    .columns(.store, because: "the file has one price for all regions"))
  func newPrice() async throws {
    try await TestedSystem.run { system in
      let shown = Observed("")
      let device = try await moved(to: "GB", in: system) { device in
        device.user.next(.payment) { visit in
          let page = try await visit.browser.open(visit.address)
          shown.change { $0 = page.shownPrice }
          return try visit.leave(try await visit.paid(with: "succeeds", on: page))
        }
      }
      let bought = try await device.app.first(.purchased)
      #expect(shown.value == "£4.99")
      #expect(bought.payment.product.price.currencyCode == "GBP")
      let pounds = try #require(Currency(code: "GBP"))
      let amounts = try await system.sales().map(\.amount)
      #expect(amounts == [Money(minorUnits: 499, currency: pounds)])
    }
  }

  @Test(
    "GAT-4: a price that changed while the page was open is shown again, and the one shown is the one charged",
    .columns(.store, because: "the file's prices do not change"))
  func priceChanges() async throws {
    try await TestedSystem.run { system in
      let prices = Observed<[String]>([])
      let device = try await system.signedInDevice(of: system.user())
      device.user.next(.payment) { visit in
        let page = try await visit.browser.open(visit.address)
        try await system.change(ExampleProducts.coins) { product in
          product.prices[.netherlands] = Money(minorUnits: 299, currency: .eur)
        }
        let again = try await visit.paid(with: "succeeds", on: page)
        prices.change { $0 = [page.shownPrice, again.shownPrice] }
        return try visit.leave(try await visit.paid(with: "succeeds", on: again))
      }
      let bought = try await device.buy(ExampleProducts.coins)
      #expect(bought.payment.product.price.decimalValue == Decimal(string: "2.99"))
      #expect(prices.value.map { $0.filter(\.isNumber) } == ["199", "299"])
      let minorUnits = try await system.sales().map(\.amount.minorUnits)
      #expect(minorUnits == [299])
    }
  }

  @Test("GAT-5: a delegate that goes away while it is asked has not agreed")
  func goesAway() async throws {
    try await TestedSystem.run { system in
      let (asked, answer) = (Latch(), Latch())
      let device = try await moved(to: "GB", in: system) { device in
        device.app.gate = { _, _ in
          asked.open()
          try? await answer.passed()
          return true
        }
      }
      try await asked.passed()
      device.queue.delegate = nil
      answer.open()
      try await device.app.until { !$0.removals.isEmpty }
      let booked = try await system.booked(of: device.user)
      #expect(booked.isEmpty)
    }
  }

  @Test("GAT-5: a storefront that changes again while the delegate thinks is asked about again")
  func movesAgain() async throws {
    try await TestedSystem.run { system in
      let (asked, answer) = (Latch(), Latch())
      let device = try await moved(to: "GB", in: system) { device in
        device.app.gate = { _, _ in
          asked.open()
          try? await answer.passed()
          return true
        }
      }
      try await asked.passed()
      try await system.move(device.user, to: "DE")
      try await device.app.until { $0.storefronts.contains("DE") }
      answer.open()
      let bought = try await device.app.first(.purchased)
      #expect(device.app.gates == [.gate(from: "NL", to: "GB"), .gate(from: "NL", to: "DE")])
      #expect(bought.storefront.countryCode == "DE")
      let currencies = try await system.sales().map(\.amount.currency)
      #expect(currencies == [.eur])
    }
  }

  @Test("GAT-5: an account that moves while its payment page is open is not charged; the payment is discarded")
  func movesWhilePaying() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let device = try await system.signedInDevice(of: user)
      user.next(.payment) { visit in
        let page = try await visit.browser.open(visit.address)
        try await system.move(user, to: "GB")
        return try visit.leave(try await visit.paid(with: "succeeds", on: page))
      }
      try await device.add(ExampleProducts.adFree)
      try await device.app.until { !$0.removals.isEmpty }
      #expect(device.app.updates.map(\.transactionState) == [.purchasing])
      let sales = try await system.sales()
      #expect(sales.isEmpty)
      let cancelled = try await system.booked(of: user).map(\.isCancelled)
      #expect(cancelled == [true])
      if system.isOverHTTP {
        let cancelReasons = try await system.orders(of: user).map(\.cancelReason)
        #expect(cancelReasons == [.storefrontChanged])
      }
    }
  }

  @Test("GAT-6: the gate after a login on demand may refuse, and nothing is enqueued")
  func afterLoginRefused() async throws {
    try await TestedSystem.run { system in
      let device = try await system.device(of: system.user())
      device.app.afterLogin = { false }
      try await device.add(ExampleProducts.coins)
      try await device.app.until { !$0.completions.isEmpty }
      #expect(device.app.completions == ["\(ExampleProducts.coins): rejectedAfterLogin"])
      #expect(device.queue.transactions.isEmpty && device.files.isEmpty)
      #expect(device.queue.storefront?.countryCode == "NL")
      let booked = try await system.booked(of: device.user)
      #expect(booked.isEmpty)
    }
  }
}

extension Browser.Page {
  /// The price that the payment page shows.
  fileprivate var shownPrice: String {
    html.firstMatch(of: /data-price="([^"]*)"/).map { HTMLForm.unescaped(String($0.1)) } ?? "none"
  }
}

/// Implements the synchronous gate alone, and says no.
@MainActor
private final class SynchronousGate: OnsidePaymentQueueDelegate {
  private(set) var asked = 0

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinue transaction: OnsidePaymentTransaction,
    in storefront: OnsideStorefront
  ) -> Bool {
    asked += 1
    return false
  }
}

/// Implements nothing.
@MainActor
private final class SilentGate: OnsidePaymentQueueDelegate {}
