import OnsideCommerce
import OnsideKit
import Testing

@MainActor
@Suite("Purchases with one call", .serialized, .timeLimit(.minutes(5)))
struct PurchaseTests {
  @Test("QUE-27: a purchase returns its transaction when the store says paid; the README's observer has finished it")
  func paid() async throws {
    try await TestedSystem.run { system in
      let device = try await system.readmeDevice(of: system.user())
      let product = try await device.product(ExampleProducts.coins)
      let transaction = try #require(
        try await device.queue.purchase(product, appAccountToken: "alice").transaction)
      #expect(device.app.updates.last?.id == transaction.id && transaction.isFinished)
      let ids = try await system.booked(of: device.user).map(\.id)
      #expect(ids == [transaction.id])
      #expect(transaction.payment.appAccountToken == "alice")
      try await device.app.removal(of: transaction)
      try await system.finished(1, of: device.user)
    }
  }

  @Test("QUE-27: a purchase that nobody finishes stays in the queue until the app finishes it")
  func unfinished() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let product = try await device.product(ExampleProducts.coins)
      let transaction = try #require(try await device.queue.purchase(product).transaction)
      #expect(device.queue.transactions == [transaction])
      try await device.finish(transaction)
      try await system.finished(1, of: device.user)
    }
  }

  @Test("QUE-27: a purchase that the user gives up is .cancelled, and leaves the queue")
  func cancelled() async throws {
    try await TestedSystem.run { system in
      let device = try await system.readmeDevice(of: system.user())
      device.user.next(.payment) { try await $0.cancel() }
      let product = try await device.product(ExampleProducts.coins)
      let purchase = try await device.queue.purchase(product)
      #expect(purchase == .cancelled)
      #expect(device.queue.transactions.isEmpty)
      let transaction = try await device.queue.purchase(product).transaction
      #expect(transaction != nil)
    }
  }

  @Test("QUE-27: a purchase whose page cannot be shown is an error, though the observer has finished its transaction")
  func noScreen() async throws {
    try await TestedSystem.run { system in
      let device = try await system.readmeDevice(of: system.user())
      device.user.next(.payment) { _ in throw ScreenPresentationError("there is no display") }
      let product = try await device.product(ExampleProducts.coins)
      await #expect(throws: OnsideFailure.presentationFailed) { try await device.queue.purchase(product) }
      #expect(device.queue.transactions.isEmpty)
      let transaction = try await device.queue.purchase(product).transaction
      #expect(transaction != nil)
    }
  }

  @Test("QUE-27: offline a purchase is an error, and nothing is charged; with a connection it can be made")
  func offline() async throws {
    try await TestedSystem.run { system in
      let device = try await system.readmeDevice(of: system.user())
      let product = try await device.product(ExampleProducts.coins)
      system.goOffline()
      await #expect(throws: OnsideFailure.offline) { try await device.queue.purchase(product) }
      let booked = try await system.booked(of: device.user)
      #expect(booked.isEmpty)
      system.goOnline()
      try await device.app.removal(of: try await device.app.first(.failed))
      let transaction = try await device.queue.purchase(product).transaction
      #expect(transaction != nil)
      let bookedCount = try await system.booked(of: device.user).count
      #expect(bookedCount == 1)
    }
  }

  @Test("QUE-27: a purchase whose task is cancelled is paid all the same, and observers get it")
  func taskCancelled() async throws {
    try await TestedSystem.run { system in
      let device = try await system.readmeDevice(of: system.user())
      let product = try await device.product(ExampleProducts.coins)
      let queue = device.queue
      let task = Task { try await queue.purchase(product) }
      device.user.next(.payment) { visit in
        task.cancel()
        return try await visit.pay()
      }
      await #expect(throws: CancellationError.self) { try await task.value }
      let bought = try await device.app.first(.purchased)
      let ids = try await system.booked(of: device.user).map(\.id)
      #expect(ids == [bought.id])
    }
  }

  @Test("QUE-30: three of a consumable are one order at three times the price, and a refund takes three back")
  func quantity() async throws {
    try await TestedSystem.run { system in
      let device = try await system.readmeDevice(of: system.user())
      let product = try await device.product(ExampleProducts.coins)
      let total = try product.price.money.multiplied(by: 3)
      let bought = try #require(try await device.queue.purchase(product, quantity: 3).transaction)
      #expect(bought.payment.quantity == 3)
      let ids = try await system.booked(of: device.user).map(\.id)
      #expect(ids == [bought.id])
      let amounts = try await system.sales().map(\.amount)
      #expect(amounts == [total])
      try await system.finished(1, of: device.user)
      try await system.refund(bought)
      try await device.app.until { $0.revocations.map(\.id) == [bought.id] }
      #expect(device.app.revocations.map(\.payment.quantity) == [3])
    }
  }

  @Test("QUE-30: several of what is no consumable are refused, and nothing is ordered")
  func severalOfOne() async throws {
    try await TestedSystem.run { system in
      let device = try await system.readmeDevice(of: system.user())
      let product = try await device.product(ExampleProducts.adFree)
      await #expect { try await device.queue.purchase(product, quantity: 2) } throws: { error in
        (error as? OnsidePaymentError)?.isQuantityInvalid == true
      }
      #expect(device.queue.transactions.isEmpty)
      let booked = try await system.booked(of: device.user)
      #expect(booked.isEmpty)
    }
  }

  @Test("QUE-28: streams of events begin with what is unfinished, and each has all that an observer is told")
  func events() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let coins = try await device.buy(ExampleProducts.coins)
      let streams = [device.queue.events, device.queue.events]
      let adFree = try await device.buy(ExampleProducts.adFree)
      try await device.finish(coins)
      try await system.refund(adFree)
      for stream in streams {
        var heard: [OnsidePaymentQueueEvent] = []
        for await event in stream {
          heard.append(event)
          if event.kind == .revoked { break }
        }
        #expect(heard.first?.transactions.map(\.id) == [coins.id])
        #expect(heard.map(\.kind) == [.updated, .updated, .updated, .removed, .removed, .revoked])
        #expect(heard.last?.transactions.map(\.id) == [adFree.id])
      }
    }
  }
}

extension TestedSystem {
  /// A signed-in device whose app is the README's.
  @MainActor
  fileprivate func readmeDevice(of user: SimulatedUser) async throws -> TestedDevice {
    try await signedInDevice(of: user) { $0.finishesPurchases = true }
  }
}

extension OnsidePurchaseResult {
  fileprivate var transaction: OnsidePaymentTransaction? {
    if case .purchased(let transaction) = self { transaction } else { nil }
  }
}
