import ConformanceTable
import OnsideAPI
import OnsideCommerce
import OnsideKit
import OnsideStore
import ScriptedBrowser
import StoreSales
import Testing

@MainActor
@Suite(
  "Purchases over a bad network", .serialized, .columns(.store, because: "there is no network to disturb"),
  .timeLimit(.minutes(5)))
struct FaultTests {
  private static let orders = FaultProxy.Traffic.call(.createOrder)
  private static let finishes = FaultProxy.Traffic.call(.finishOrder)

  @Test(
    "QUE-6: an order whose answer is lost, whose request arrives twice, or that is refused for a while is one order",
    arguments: ["lost", "twice", "refused", "unavailable", "gone"])
  func order(fault: String) async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let faults: [String: FaultProxy.Fault] = [
        "lost": .loseAnswer, "twice": .twice, "refused": .refuse, "unavailable": .answer(503, ""),
        "gone": .answer(429, "{}"),
      ]
      system.network.disturb(Self.orders, with: try #require(faults[fault]), times: fault == "twice" ? 1 : 2)
      let bought = try await device.buy(ExampleProducts.coins)
      #expect(device.app.states(of: bought.id) == [.purchasing, .purchased])
      let ids = try await system.orders(of: device.user).map(\.id)
      #expect(ids == [bought.id])
      let saleCount = try await system.sales().count
      #expect(saleCount == 1)
      let keys = system.network.exchanges.value.filter { Self.orders.contains($0.request) }
        .map { $0.request.idempotencyKeys }
      #expect(Set(keys).count == 1)
      #expect(keys.count == (fault == "twice" ? 1 : 3))
    }
  }

  @Test("QUE-8: an order that cannot be made for good fails, and the one that was made after all is given up")
  func orderNeverAnswered() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      system.network.disturb(Self.orders, with: .loseAnswer)
      try await device.add(ExampleProducts.coins)
      let failed = try await device.app.first(.failed)
      #expect(failed.error == .presentationFailed)
      let stage = try await system.order(failed, of: device.user).state.stage
      #expect(stage == .cancelled)
      system.network.heal()
      device.queue.finishTransaction(failed)
      _ = try await device.buy(ExampleProducts.coins)
      let saleCount = try await system.sales().count
      #expect(saleCount == 1)
    }
  }

  @Test("QUE-9: questions after the payment whose answers are lost are asked again")
  func outcomeLost() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user(), observed: false)
      // The sync would tell, too; here the question alone has to.
      system.network.disturb(.call(.sync), with: .refuse)
      system.network.disturb(.call(.order), with: .loseAnswer, times: 2)
      device.observe()
      let bought = try await device.buy(ExampleProducts.coins)
      #expect(device.app.states(of: bought.id) == [.purchasing, .purchased])
    }
  }

  @Test("QUE-15: a cancel whose answer is lost settles as cancelled, once")
  func cancelLost() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      system.network.disturb(.call(.cancelOrder), with: .loseAnswer, times: 2)
      device.user.next(.payment) { _ in .dismissed }
      try await device.add(ExampleProducts.coins)
      let failed = try await device.app.first(.failed)
      #expect(failed.error == .cancelled)
      #expect(device.app.states(of: failed.id) == [.purchasing, .failed])
      let stage = try await system.order(failed, of: device.user).state.stage
      #expect(stage == .cancelled)
    }
  }

  @Test(
    "QUE-12, QUE-13: a finish whose answer is lost, or that arrives twice, is one finish", arguments: [true, false])
  func finish(isLost: Bool) async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let bought = try await device.buy(ExampleProducts.coins)
      system.network.disturb(Self.finishes, with: isLost ? .loseAnswer : .twice, times: isLost ? 2 : 1)
      try await device.finish(bought)
      try await system.network.until(Self.finishes, answered: isLost ? 3 : 1)
      try await device.restart()
      let marker = try await device.buy(ExampleProducts.season)
      #expect(Set(device.app.updates.map(\.id)) == [marker.id])
      #expect(try await system.order(bought, of: device.user).state.finished)
    }
  }

  @Test("QUE-8: a store that restarts while the payment page is open keeps the order, and the payment goes on")
  func storeRestarts() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      device.user.next(.payment) { visit in
        let page = try await visit.browser.open(visit.address)
        await system.closeStore()
        try await system.openStore()
        return try visit.leave(try await visit.paid(with: "succeeds", on: page))
      }
      let bought = try await device.buy(ExampleProducts.coins)
      let ids = try await system.orders(of: device.user).map(\.id)
      #expect(ids == [bought.id])
      #expect(device.queue.storefront?.countryCode == "NL")
    }
  }

  @Test("QUE-9: a store that is down when the payment is over is asked until it is back")
  func storeDown() async throws {
    try await TestedSystem.run { system in
      // The poll that waits would tell of the payment before the store is down.
      system.network.disturb(.call(.sync), with: .loseAnswer)
      let device = try await system.signedInDevice(of: system.user())
      device.user.next(.payment) { visit in
        let outcome = try await visit.pay()
        await system.closeStore()
        return outcome
      }
      try await device.add(ExampleProducts.coins)
      try await system.network.until(.call(.order), made: 3)
      #expect(!device.app.updates.contains { $0.transactionState == .failed })
      system.network.heal()
      try await system.openStore()
      let bought = try await device.app.first(.purchased)
      #expect(device.app.states(of: bought.id) == [.purchasing, .purchased])
    }
  }

  @Test("QUE-16: the sync goes on after a restart of the store")
  func syncGoesOn() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let device = try await system.signedInDevice(of: user)
      try await system.network.until(.call(.sync), made: 2)
      await system.closeStore()
      try await system.openStore()
      let other = try await system.signedInDevice(of: user)
      let bought = try await other.buy(ExampleProducts.season)
      try await device.app.until { $0.updates.contains { $0.id == bought.id } }
      #expect(device.app.storefronts == ["NL"])
    }
  }

  @Test("QUE-8: a page of an order that was given up takes no money, and the app is told of the cancel once")
  func paidAfterCancel() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      device.user.next(.payment) { visit in
        let page = try await visit.browser.open(visit.address)
        // The screen closes, and the button is pressed in another window afterwards.
        Task {
          do {
            try await system.network.until(.call(.cancelOrder), answered: 1)
            _ = try await visit.paid(with: "succeeds", on: page)
          } catch {
            Issue.record(error)
          }
        }
        return .dismissed
      }
      try await device.add(ExampleProducts.coins)
      let failed = try await device.app.first(.failed)
      try await system.network.exchanges.until { list in
        list.contains { $0.request.isPayment && $0.status != nil }
      }
      #expect(device.app.states(of: failed.id) == [.purchasing, .failed])
      let sales = try await system.sales()
      #expect(sales.isEmpty)
    }
  }
}

extension FaultProxy.Request {
  /// Whether the payment page's button was pressed.
  fileprivate var isPayment: Bool { path.hasPrefix("/pay/") && text.contains("method=card") }
}
