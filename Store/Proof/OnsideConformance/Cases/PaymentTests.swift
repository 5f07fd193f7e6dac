import ConformanceTable
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit
import OnsideStore
import ScriptedBrowser
import StoreSales
import StoreTestSupport
import Testing

@MainActor
@Suite("Payments", .serialized, .timeLimit(.minutes(5)))
struct PaymentTests {
  private static let orders = FaultProxy.Traffic.call(.createOrder)

  @Test("QUE-5: the completion reports the pre-flight, then .purchasing and one final state are told")
  func states() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      device.app.forget()
      let bought = try await device.buy(ExampleProducts.coins)
      #expect(device.app.heard.first == .completed("\(ExampleProducts.coins): success"))
      #expect(device.app.states(of: bought.id) == [.purchasing, .purchased])
      device.user.next(.payment) { try await $0.cancel() }
      try await device.add(ExampleProducts.coins)
      let failed = try await device.app.first(.failed)
      #expect(device.app.states(of: failed.id) == [.purchasing, .failed])
    }
  }

  @Test("QUE-6: one id is the transaction, the idempotency key and the order, over launches and redeliveries")
  func identity() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let bought = try await device.buy(ExampleProducts.coins)
      if system.isOverHTTP {
        let request = system.network.exchanges.value.map(\.request).first(where: Self.orders.contains)
        #expect(request?.idempotencyKeys == [bought.id.uuidString.lowercased()])
      }
      let ids = try await system.booked(of: device.user).map(\.id)
      #expect(ids == [bought.id])
      #expect(bought.transactionIdentifier == bought.id.uuidString.lowercased())
      #expect(bought.originalTransactionIdentifier == bought.transactionIdentifier)
      try await device.restart()
      let id = try await device.app.first(.purchased).id
      #expect(id == bought.id)
    }
  }

  @Test("QUE-7: a transaction is on disk before its completion succeeds and before its screen is shown")
  func onDisk() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let (app, folder) = (device.app, device.folder)
      let atScreen = Observed<[String]>([])
      device.user.next(.payment) { visit in
        atScreen.change { $0 = folder.names(in: "transactions") }
        return try await visit.pay()
      }
      device.queue.add(try await device.payment(ExampleProducts.coins)) { _ in
        app.hear(.completed("with \(folder.names(in: "transactions").count) file"))
      }
      let bought = try await app.first(.purchased)
      #expect(app.completions == ["with 1 file"])
      #expect(atScreen.value.count == 1)
      #expect(atScreen.value.first?.lowercased().contains(bought.id.uuidString.lowercased()) == true)
    }
  }

  @Test("QUE-9: a redirect that is lost still settles, and the screen is closed")
  func lostRedirect() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      device.user.next(.payment) { visit in
        _ = try await visit.pay()
        return try await visit.stay()
      }
      _ = try await device.buy(ExampleProducts.coins)
      try await device.user.open.until { $0 == 0 }
    }
  }

  @Test("QUE-9: a screen that closes after the payment is not taken for a cancel")
  func closedAfterPayment() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      device.user.next(.payment) { visit in
        _ = try await visit.pay()
        return .dismissed
      }
      let bought = try await device.buy(ExampleProducts.coins)
      #expect(device.app.states(of: bought.id) == [.purchasing, .purchased])
    }
  }

  @Test(
    "QUE-9, QUE-25: a redirect that claims a payment is not believed and cancels nothing; the page still takes money",
    .columns(.store, because: "a local page ends with its screen"))
  func forgedRedirect() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      device.user.next(.payment) { visit in
        .redirected(visit.redirect.appending(queryItems: [URLQueryItem(name: "outcome", value: "paid")]))
      }
      try await device.add(ExampleProducts.coins)
      let visit = try await device.user.shown(.payment)
      try await system.network.until(.call(.order), answered: 1)
      let sales = try await system.sales()
      #expect(sales.isEmpty)
      #expect(device.app.updates.map(\.transactionState) == [.purchasing])
      let isCancelled = try await system.booked(of: device.user).first?.isCancelled
      #expect(isCancelled == false)
      #expect(system.network.count(.call(.cancelOrder)) == 0)
      _ = try await visit.pay()
      let bought = try await device.app.first(.purchased)
      #expect(device.app.states(of: bought.id) == [.purchasing, .purchased])
    }
  }

  @Test("QUE-24: cancel closes the screen and fails the payment, also while its page is open in a browser")
  func givenUp() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let hasPage = Latch()
      device.user.next(.payment) { visit in
        _ = try await visit.browser.open(visit.address)
        hasPage.open()
        return try await visit.stay()
      }
      try await device.add(ExampleProducts.coins)
      // The page is loaded before the cancel: a local screen that is closed does not answer, and the browser would wait
      // for a minute.
      try await hasPage.passed()
      device.queue.cancel(try #require(device.queue.transactions.first))
      let failed = try await device.app.first(.failed)
      #expect(failed.error == .cancelled)
      #expect(try await system.booked(failed, of: device.user).isCancelled)
      try await device.user.open.until { $0 == 0 }
    }
  }

  @Test("QUE-10: a second add while the screen is open joins the open transaction")
  func joins() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let pay = Latch()
      device.user.next(.payment) { visit in
        try await pay.passed()
        return try await visit.pay()
      }
      try await device.add(ExampleProducts.coins)
      _ = try await device.user.shown(.payment)
      try await device.add(ExampleProducts.coins)
      try await device.app.until { $0.completions.count == 2 }
      #expect(device.queue.transactions.count == 1)
      pay.open()
      let bought = try await device.app.first(.purchased)
      #expect(device.app.updates.map(\.id) == [bought.id, bought.id])
      let bookedCount = try await system.booked(of: device.user).count
      #expect(bookedCount == 1)
      let saleCount = try await system.sales().count
      #expect(saleCount == 1)
    }
  }

  @Test("QUE-10: buying an owned non-consumable again gives the existing purchase without a charge or a screen")
  func owned() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let first = try await device.buy(ExampleProducts.adFree)
      try await device.finish(first)
      let again = try await device.buy(ExampleProducts.adFree)
      #expect(again.id != first.id)
      #expect(again.transactionIdentifier == first.transactionIdentifier)
      #expect(again.purchaseDate == first.purchaseDate)
      #expect(device.user.count(.payment) == 1)
      let orderIDs = try await system.sales().map(\.orderID)
      #expect(orderIDs == [first.id])
      try await device.finish(again)
      // Each purchase of a consumable is paid.
      for _ in 0..<2 { try await device.finish(try await device.buy(ExampleProducts.coins)) }
      let saleCount = try await system.sales().count
      #expect(saleCount == 3)
    }
  }

  @Test("QUE-11: payments of one product run one at a time in the order added; others and finishes do not wait")
  func oneAtATime() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let device = try await system.signedInDevice(of: user)
      let other = try await system.signedInDevice(of: user)
      let early = try await device.buy(ExampleProducts.season)
      let pay = Latch()
      user.next(.payment) { visit in
        try await pay.passed()
        return try await visit.pay()
      }
      try await device.add(ExampleProducts.coins)
      try await device.add(ExampleProducts.coins, token: "second")
      _ = try await user.shown(.payment, times: 2)
      try await device.add(ExampleProducts.adFree)
      try await device.app.until { app in
        app.updates.contains {
          $0.payment.product.productIdentifier == ExampleProducts.adFree && $0.transactionState == .purchased
        }
      }
      // While the first screen is open, a finish is sent and a purchase of another device is delivered.
      try await device.finish(early)
      if system.isOverHTTP { try await system.network.until(.call(.finishOrder), answered: 1) }
      let elsewhere = try await other.buy(ExampleProducts.monthly)
      try await device.app.until { $0.updates.contains { $0.id == elsewhere.id } }
      #expect(
        device.app.updates.allSatisfy {
          $0.transactionState == .purchasing || $0.payment.product.productIdentifier != ExampleProducts.coins
        })
      let bookedCount = try await system.booked(of: user).count
      #expect(bookedCount == 4)
      pay.open()
      try await device.app.until { $0.updates.count { $0.transactionState == .purchased } == 5 }
      let finals = device.app.updates.filter { $0.transactionState == .purchased }.map(\.payment.appAccountToken)
      #expect(finals.suffix(2) == [nil, "second"])
    }
  }

  @Test("QUE-15: the user's own cancel fails with .cancelled and gives the order up", arguments: [true, false])
  func cancelled(byButton: Bool) async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      device.user.next(.payment) { byButton ? try await $0.cancel() : .dismissed }
      try await device.add(ExampleProducts.coins)
      let failed = try await device.app.first(.failed)
      #expect(failed.error == .cancelled)
      #expect(try await system.booked(failed, of: device.user).isCancelled)
      let sales = try await system.sales()
      #expect(sales.isEmpty)
    }
  }

  @Test("QUE-15: a screen that cannot be shown fails with .presentationFailed")
  func noScreen() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      device.user.next(.payment) { _ in throw ScreenPresentationError("there is no display") }
      try await device.add(ExampleProducts.coins)
      let failed = try await device.app.first(.failed)
      #expect(failed.error == .presentationFailed)
      #expect(try await system.booked(failed, of: device.user).isCancelled)
    }
  }

  @Test("QUE-15: a declined card is handled on the page, and the payment goes on there")
  func declined() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let saysSo = Observed(false)
      device.user.next(.payment) { visit in
        let page = try await visit.paid(with: "declined", on: try await visit.browser.open(visit.address))
        saysSo.change { $0 = page.html.contains("role=\"alert\"") }
        return try visit.leave(try await visit.paid(with: "succeeds", on: page))
      }
      let bought = try await device.buy(ExampleProducts.coins)
      #expect(saysSo.value)
      #expect(device.app.states(of: bought.id) == [.purchasing, .purchased])
      let saleCount = try await system.sales().count
      #expect(saleCount == 1)
    }
  }

  @Test("QUE-18: the app's token is in order and transaction byte for byte; one too long or with U+0000 is refused")
  func token() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let token = "user 4711 \u{1}\u{2028} “e\u{301}” 👩🏽‍🚀 \\\"<&>"
      let bought = try await device.buy(ExampleProducts.coins, token: token)
      #expect(bought.payment.appAccountToken.map { Array($0.utf8) } == Array(token.utf8))
      if system.isOverHTTP {
        let order = try await system.order(bought, of: device.user)
        #expect(order.appAccountToken.map { Array($0.utf8) } == Array(token.utf8))
      }
      let full = String(repeating: "é", count: 256)
      let appAccountToken = try await device.buy(ExampleProducts.season, token: full).payment.appAccountToken
      #expect(appAccountToken == full)
      let before = try await system.booked(of: device.user)
      for token in [full + "x", "user\u{0}4711"] {
        let refused = try await device.payment(ExampleProducts.adFree, token: token)
        await #expect(throws: OnsidePaymentError.self) { try await device.queue.add(refused) }
      }
      #expect(device.queue.transactions.count == 2)
      let booked = try await system.booked(of: device.user)
      #expect(booked == before)
    }
  }
}
