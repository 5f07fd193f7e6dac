import ConformanceTable
import OnsideAPI
import OnsideKit
import Testing

@MainActor
@Suite("Restores", .serialized, .timeLimit(.minutes(5)))
struct RestoreTests {
  private static let restores = FaultProxy.Traffic.call(.restorable)

  @Test("RST-1: non-consumables and active subscriptions come as .restored with their original, consumables do not")
  func kinds() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let device = try await system.signedInDevice(of: user)
      var originals: [String: String?] = [:]
      for product in [ExampleProducts.coins, ExampleProducts.adFree, ExampleProducts.monthly] {
        let bought = try await device.buy(product)
        try await device.finish(bought)
        originals[product] = bought.transactionIdentifier
      }
      try await system.finished(3, of: user)
      let other = try await system.device(of: user)
      other.restore()
      try await other.app.until { $0.heard.contains(.restoreFinished) }
      let restored = other.app.updates
      #expect(
        Set(restored.map(\.payment.product.productIdentifier)) == [ExampleProducts.adFree, ExampleProducts.monthly])
      #expect(restored.allSatisfy { $0.transactionState == .restored })
      for transaction in restored {
        #expect(transaction.originalTransactionIdentifier == originals[transaction.payment.product.productIdentifier])
      }
      // A subscription that has run out is not owned any more.
      try await system.stopRenewing(ExampleProducts.monthly, of: user)
      try await system.letTimePass(seconds: 40 * 86400)
      let late = try await system.signedInDevice(of: user)
      late.restore()
      try await late.app.until { $0.heard.contains(.restoreFinished) }
      #expect(late.app.updates.map(\.payment.product.productIdentifier) == [ExampleProducts.adFree])
    }
  }

  @Test("RST-1: a renewed subscription is restored once, by its newest period, and names its original")
  func renewed() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let device = try await system.signedInDevice(of: user)
      let first = try await device.buy(ExampleProducts.monthly)
      try await device.finish(first)
      let renewal = try await system.renew(first, of: user)
      let other = try await system.signedInDevice(of: user, observed: false)
      other.restore()
      other.observe()
      try await other.app.until { $0.heard.contains(.restoreFinished) }
      let restored = other.app.updates.filter { $0.originalTransactionIdentifier == first.transactionIdentifier }
      #expect(Set(restored.map(\.id)) == [renewal])
    }
  }

  @Test("RST-2: the completion comes first, then the transactions, then exactly one end")
  func order() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      try await device.finish(try await device.buy(ExampleProducts.adFree))
      try await system.finished(1, of: device.user)
      device.app.forget()
      device.restore()
      try await device.app.until { $0.heard.contains(.restoreFinished) }
      #expect(device.app.heard.count == 3)
      #expect(device.app.heard.first == .completed("restore: success"))
      #expect(device.app.updates.map(\.transactionState) == [.restored])
      #expect(device.app.heard.last == .restoreFinished)
    }
  }

  @Test(
    "RST-3: a second restore joins the first; a later one delivers again, and finishing again is fine",
    .columns(.store, because: "there is no network to disturb"))
  func twice() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      try await device.finish(try await device.buy(ExampleProducts.adFree))
      try await system.network.until(.call(.finishOrder), answered: 1)
      device.app.forget()
      let answer = Latch()
      system.network.disturb(Self.restores, with: .hold(answer), times: 1)
      device.restore()
      try await system.network.until(Self.restores, made: 1)
      device.restore()
      try await device.app.until { $0.completions.count == 2 }
      answer.open()
      try await device.app.until { $0.heard.contains(.restoreFinished) }
      #expect(system.network.count(Self.restores) == 1)
      #expect(device.app.updates.count == 1)
      for round in 2...3 {
        try await device.finish(try await device.app.first(.restored))
        try await system.network.until(.call(.finishOrder), answered: round)
        device.app.forget()
        device.restore()
        try await device.app.until { $0.heard.contains(.restoreFinished) }
        #expect(device.app.updates.map(\.transactionState) == [.restored])
      }
    }
  }

  @Test("RST-4: nothing to restore finishes without transactions; without a network it fails with .connectionError")
  func nothing() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      try await device.finish(try await device.buy(ExampleProducts.coins))
      device.app.forget()
      device.restore()
      try await device.app.until { $0.heard.count == 2 }
      #expect(device.app.heard == [.completed("restore: success"), .restoreFinished])
      system.goOffline()
      device.app.forget()
      device.restore()
      try await device.app.until { $0.heard.count == 2 }
      #expect(device.app.heard == [.completed("restore: success"), .restoreFailed(.connectionError)])
    }
  }

  @Test(
    "RST-4: a store that fails, or answers with what makes no sense, is told apart",
    .columns(.store, because: "there is no network to disturb"))
  func failures() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let failures: [(FaultProxy.Fault, OnsideTransactionsRestoreError)] = [
        (.answer(503, ""), .serviceUnavailable), (.answer(200, "{}"), .connectionError),
      ]
      for (fault, error) in failures {
        system.network.disturb(Self.restores, with: fault)
        device.app.forget()
        device.restore()
        try await device.app.until { $0.heard.count == 2 }
        #expect(device.app.heard == [.completed("restore: success"), .restoreFailed(error)])
        system.network.heal()
      }
    }
  }
}
