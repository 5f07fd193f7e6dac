import ConformanceTable
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit
import OnsideStore
import StoreSales
import StoreTestSupport
import Testing

/// The README's app, unchanged, against a store: each device is a process with a folder of its own.
@MainActor
@Suite(
  "The README's app against a store", .serialized,
  .columns(.store, because: "tests of OnsideTestKit run the app on a local store"), .timeLimit(.minutes(5)))
struct ShopTests {
  @Test("DOC-1: a login, a declined card and a payment on the store's pages are 100 coins, also after a restart")
  func bought() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      var shop = try ShopDevice(of: user, in: try TemporaryFolder(), system)
      shop.buy()
      _ = try await shop.visit(.login, page: 1).logIn()
      let payment = try await shop.visit(.payment, page: 2)
      let declined = try await payment.paid(with: "declined", on: try await payment.open())
      let coinsOfDeclined = try await shop.coins()
      #expect(coinsOfDeclined == 0)
      _ = try await payment.paid(with: "succeeds", on: declined)
      try await shop.results(are: "purchased")
      let coins = try await shop.coins()
      #expect(coins == 100)
      try await system.finished(1, of: user)
      try await shop.restart()
      let coinsAfterwards = try await shop.coins()
      #expect(coinsAfterwards == 100)
      let saleCount = try await system.sales().count
      #expect(saleCount == 1)
    }
  }

  @Test("DOC-1: a payment that the user cancels is .cancelled and no coins; the next one is 100 coins")
  func cancelled() async throws {
    try await TestedSystem.run { system in
      let shop = try await ShopDevice.signedIn(system)
      shop.buy()
      _ = try await shop.visit(.payment, page: 1).cancel()
      try await shop.results(are: "cancelled")
      let coinsOfCancelled = try await shop.coins()
      #expect(coinsOfCancelled == 0)
      shop.buy()
      try await shop.pay(page: 2)
      try await shop.results(are: "cancelled", "purchased")
      let coins = try await shop.coins()
      #expect(coins == 100)
    }
  }

  @Test("DOC-1: a double tap is one order and 100 coins; one call returns .purchased, the other .pending")
  func doubleTap() async throws {
    try await TestedSystem.run { system in
      let shop = try await ShopDevice.signedIn(system)
      shop.buy()
      _ = try await shop.visit(.payment, page: 1)
      shop.buy()
      // The second call joins the open order when it has its product.
      try await system.network.until(.call(.products), answered: 2)
      let coinsBefore = try await shop.coins()
      #expect(coinsBefore == 0)
      try await shop.pay(page: 1)
      try await shop.results(are: "pending", "purchased")
      let coins = try await shop.coins()
      #expect(coins == 100)
      let saleCount = try await system.sales().count
      #expect(saleCount == 1)
    }
  }

  @Test("DOC-1: offline a purchase is an error without coins; one whose payment ends offline is 100 coins afterwards")
  func offline() async throws {
    try await TestedSystem.run { system in
      let shop = try await ShopDevice.signedIn(system)
      system.goOffline()
      shop.buy()
      try await shop.results(are: "connectionError")
      system.goOnline()
      // A poll that waits would report the payment to a device that is offline for new requests only.
      system.network.disturb(.call(.sync), with: .loseAnswer)
      shop.buy()
      _ = try await shop.visit(.payment, page: 1)
      system.goOffline()
      try await shop.pay(page: 1)
      let saleCount = try await system.sales().count
      let coinsOffline = try await shop.coins()
      #expect(saleCount == 1 && coinsOffline == 0)
      system.goOnline()
      try await shop.purchases(are: 1)
      let coins = try await shop.coins()
      #expect(coins == 100)
    }
  }

  @Test("DOC-1: a purchase that is refunded before the app has delivered it neither adds nor takes coins")
  func refundedBefore() async throws {
    try await TestedSystem.run { system in
      var shop = try await ShopDevice.signedIn(system)
      shop.buy()
      _ = try await shop.visit(.payment, page: 1)
      shop.process.kill()
      try await shop.process.end.until { $0 != nil }
      try await shop.pay(page: 1)
      let refunded = try #require(try await system.sales().first).orderID
      try await system.core.orders.refund(refunded, because: .refund)
      try await shop.restart()
      shop.buy()
      try await shop.pay(page: 1)
      try await shop.results(are: "purchased")
      let coins = try await shop.coins()
      #expect(coins == 100)
      #expect(shop.process.revoked.isEmpty)
      #expect(!shop.process.ids(.purchased).contains(refunded.uuidString))
    }
  }

  @Test(
    "DOC-1: a refund takes the delivered coins back, once, from a running app and at a later launch",
    arguments: [true, false])
  func refundedAfter(isRunning: Bool) async throws {
    try await TestedSystem.run { system in
      var shop = try await ShopDevice.signedIn(system)
      shop.buy()
      try await shop.pay(page: 1)
      try await shop.results(are: "purchased")
      try await system.finished(1, of: shop.user)
      let coinsBefore = try await shop.coins()
      #expect(coinsBefore == 100)
      if !isRunning { try await shop.process.quit() }
      let bought = try #require(try await system.sales().first).orderID
      try await system.core.orders.refund(bought, because: .refund)
      if !isRunning { try await shop.restart() }
      _ = try await shop.process.line("revoked", bought.uuidString)
      let coins = try await shop.coins()
      #expect(coins == 0)
      try await shop.restart()
      shop.buy()
      try await shop.pay(page: 1)
      try await shop.results(are: "purchased")
      let coinsAfterwards = try await shop.coins()
      #expect(coinsAfterwards == 100)
    }
  }

  @Test("DOC-1: of two devices of an account only the buyer's gets the coins, and the refund takes them from it alone")
  func secondDevice() async throws {
    try await TestedSystem.run { system in
      let phone = try await ShopDevice.signedIn(system)
      let tablet = try await ShopDevice.signedIn(system)
      _ = try await tablet.coins()
      phone.buy()
      try await phone.pay(page: 1)
      try await phone.results(are: "purchased")
      // A product that every device of the account gets: the tablet has synced the coins, too.
      phone.buy(ExampleProducts.adFree)
      try await phone.pay(page: 2)
      try await tablet.purchases(are: 1)
      var coins = [try await phone.coins(), try await tablet.coins()]
      #expect(coins == [100, 0])
      try await system.finished(2, of: phone.user)
      for sale in try await system.sales() { try await system.core.orders.refund(sale.orderID, because: .refund) }
      try await tablet.process.lines.until { $0.contains { $0.first == "revoked" } }
      try await phone.process.lines.until { $0.count { $0.first == "revoked" } == 2 }
      coins = [try await phone.coins(), try await tablet.coins()]
      #expect(coins == [0, 0])
      #expect(tablet.process.revoked.count == 1)
    }
  }
}
