import OnsideAPI
import OnsideKit
import Testing

@MainActor
@Suite("Observers", .serialized, .timeLimit(.minutes(5)))
struct ObserverTests {
  @Test("QUE-1: without an observer payments and restores are accepted and wait, with one warning")
  func unobserved() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user(), observed: false)
      let app = device.app
      try await device.add(ExampleProducts.coins)
      device.restore()
      try await app.until { $0.completions.count == 2 }
      #expect(app.completions.allSatisfy { $0.hasSuffix("success") })
      _ = try await device.product(ExampleProducts.coins)
      let booked = try await system.booked(of: device.user)
      #expect(booked.isEmpty)
      if system.isOverHTTP {
        for route in [Route.createOrder, .sync, .restorable] { #expect(system.network.count(.call(route)) == 0) }
      }
      #expect(device.warnings.count == 1)
      #expect(app.updates.isEmpty)
      device.observe()
      _ = try await app.first(.purchased)
      try await app.until { $0.heard.contains(.restoreFinished) }
      #expect(device.warnings.count == 1)
    }
  }

  @Test("QUE-2: observers are held weakly, a dead one stops the work, and one added twice counts once")
  func weak() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user(), observed: false)
      var mayfly: Listener? = Listener()
      device.queue.add(observer: try #require(mayfly))
      #expect(device.queue.transactionObservers.count == 1)
      mayfly = nil
      #expect(device.queue.transactionObservers.isEmpty)
      try await device.add(ExampleProducts.coins)
      try await device.app.until { $0.completions == ["\(ExampleProducts.coins): success"] }
      _ = try await device.product(ExampleProducts.coins)
      let booked = try await system.booked(of: device.user)
      #expect(booked.isEmpty)
      device.observe()
      device.observe()
      #expect(device.queue.transactionObservers.count == 1)
      let bought = try await device.app.first(.purchased)
      try await device.finish(bought)
      #expect(device.app.states(of: bought.id) == [.purchasing, .purchased])
      #expect(device.app.removals.count == 1)
    }
  }

  @Test("QUE-3: a new observer is given every unfinished transaction once, after add(observer:) has returned")
  func replay() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let ids = [try await device.buy(ExampleProducts.coins).id, try await device.buy(ExampleProducts.adFree).id]
      let late = Listener()
      device.queue.add(observer: late)
      #expect(late.heard.isEmpty)
      try await late.until { $0.updates.count == 2 }
      #expect(late.updates.map(\.id) == ids)
      #expect(late.updates.allSatisfy { $0.transactionState == .purchased && $0.deliveryReason == .redelivered })
      let third = try await device.buy(ExampleProducts.season)
      #expect(late.updates.map(\.id).count { ids.contains($0) } == 2)
      #expect(late.states(of: third.id) == [.purchasing, .purchased])
    }
  }

  @Test("QUE-4: a callback may call anything on the queue again")
  func reentrant() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let app = device.app
      let second = try await device.payment(ExampleProducts.adFree)
      app.react = { queue, heard in
        switch heard {
        case .updated(let transactions):
          for transaction in transactions where transaction.transactionState == .purchased {
            queue.finishTransaction(transaction)
            queue.finishTransaction(transaction)
          }
        case .removed(let transactions)
        where transactions.first?.payment.product.productIdentifier == ExampleProducts.coins:
          queue.add(second) { app.hear(.completed("second: \($0.name)")) }
          queue.restoreCompletedTransactions { app.hear(.completed("restore: \($0.name)")) }
        default: break
        }
      }
      try await device.add(ExampleProducts.coins)
      try await app.until { $0.removals.count == 2 && $0.heard.contains(.restoreFinished) }
      #expect(app.completions.sorted() == ["\(ExampleProducts.coins): success", "restore: success", "second: success"])
      #expect(app.removals.count == 2)
      #expect(device.queue.transactions.isEmpty)
      let saleCount = try await system.sales().count
      #expect(saleCount == 2)
    }
  }
}
