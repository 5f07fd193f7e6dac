import ConformanceTable
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit
import OnsideStore
import StoreSales
import StoreTestSupport
import Testing

@MainActor
@Suite("Delivery", .serialized, .timeLimit(.minutes(5)))
struct DeliveryTests {
  private static let finishes = FaultProxy.Traffic.call(.finishOrder)

  @Test(
    "QUE-12: a finish removes at once, and the store is told with retries, over restarts",
    .columns(.store, because: "there is no network to disturb"))
  func finishOffline() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let bought = try await device.buy(ExampleProducts.coins)
      system.network.disturb(.sdk, with: .refuse)
      device.queue.finishTransaction(bought)
      #expect(device.queue.transactions.isEmpty)
      try await device.app.removal(of: bought)
      try await system.network.until(Self.finishes, made: 2)
      try await device.restart()
      try await system.network.until(Self.finishes, made: 4)
      let finished = try await system.order(bought, of: device.user).state.finished
      #expect(finished == false)
      system.network.heal()
      try await system.network.until(Self.finishes, answered: 1)
      #expect(try await system.order(bought, of: device.user).state.finished)
      #expect(!device.app.updates.contains { $0.id == bought.id })
      // The device deletes its records once the store has answered.
      try await device.finish(try await device.buy(ExampleProducts.coins))
      try await system.network.until(Self.finishes, answered: 2)
      #expect(!device.app.updates.contains { $0.id == bought.id })
    }
  }

  @Test("QUE-12: finishing a payment in flight does nothing")
  func finishInFlight() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let pay = Latch()
      device.user.next(.payment) { visit in
        try await pay.passed()
        return try await visit.pay()
      }
      try await device.add(ExampleProducts.coins)
      _ = try await device.user.shown(.payment)
      let purchasing = try await device.app.first(.purchasing)
      device.queue.finishTransaction(purchasing)
      #expect(device.queue.transactions.map(\.id) == [purchasing.id])
      pay.open()
      let bought = try await device.app.first(.purchased)
      #expect(bought.isSame(as: purchasing))
      #expect(device.app.removals.isEmpty)
    }
  }

  @Test("QUE-13: what one device finished is delivered on no other device, whatever is replayed")
  func finishedForGood() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let first = try await system.signedInDevice(of: user)
      let second = try await system.signedInDevice(of: user)
      let bought = try await first.buy(ExampleProducts.adFree)
      try await second.app.until { $0.updates.contains { $0.id == bought.id } }
      try await first.finish(bought)
      try await second.app.removal(of: bought)
      #expect(second.queue.transactions.isEmpty)

      // A new device, and one that has lost its sync cursor: neither gets the finished transaction.
      let fresh = try await system.signedInDevice(of: user)
      await second.close()
      for name in second.folder.names() where name.hasPrefix("cursor-") {
        try FileManager.default.removeItem(atPath: second.folder.file(name))
      }
      try await second.restart()
      let marker = try await first.buy(ExampleProducts.season)
      for device in [fresh, second] {
        try await device.app.until { $0.updates.contains { $0.id == marker.id } }
        #expect(!device.app.updates.contains { $0.id == bought.id })
      }
    }
  }

  @Test(
    "QUE-13: an answer to a sync that was on its way while the app finished does not bring it back",
    .columns(.store, because: "there is no network to disturb"))
  func lateAnswer() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let device = try await system.signedInDevice(of: user)
      let bought = try await device.buy(ExampleProducts.coins)
      await device.close()
      for name in device.folder.names() where name.hasPrefix("cursor-") {
        try FileManager.default.removeItem(atPath: device.folder.file(name))
      }
      let answer = Latch()
      let before = system.network.count(.call(.sync))
      system.network.disturb(.call(.sync), with: .holdAnswer(answer), times: 1)
      try await device.restart()
      let again = try await device.app.first(.purchased)
      try await system.network.until(.call(.sync), made: before + 1)
      try await device.finish(again)
      try await system.network.until(Self.finishes, answered: 1)
      answer.open()
      let marker = try await device.buy(ExampleProducts.season)
      #expect(Set(device.app.updates.map(\.id)) == [bought.id, marker.id])
      #expect(device.app.states(of: bought.id).count == 1)
    }
  }

  @Test(
    "QUE-14: a logout removes unfinished transactions; only the account's own next login delivers them again")
  func logout() async throws {
    try await TestedSystem.run { system in
      let alice = system.user("+31612345671")
      let device = try await system.signedInDevice(of: alice)
      let bought = try await device.buy(ExampleProducts.coins)
      device.client.logout()
      #expect(device.queue.transactions.isEmpty)
      try await device.app.removal(of: bought)
      #expect(device.files.count == 1)

      // Bob logs in on the phone. The first process ends before, because a second one would take no payments.
      await device.close()
      let bob = try await system.device(of: system.user("+31612345672"), in: device.folder)
      try await bob.client.login()
      let his = try await bob.buy(ExampleProducts.season)
      #expect(bob.app.updates.allSatisfy { $0.id == his.id })
      bob.client.logout()
      await bob.close()

      try await device.restart()
      #expect(device.queue.transactions.isEmpty)
      try await device.client.login()
      let back = try await device.app.first(.purchased)
      #expect(back.id == bought.id)
      #expect(!device.app.updates.contains { $0.id == his.id })
    }
  }

  @Test("QUE-16: a purchase on another device reaches a running device, and one that was off, as from elsewhere")
  func elsewhere() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let device = try await system.signedInDevice(of: user)
      let other = try await system.signedInDevice(of: user)
      let bought = try await other.buy(ExampleProducts.adFree)
      let arrived = try await device.app.first(.purchased)
      #expect(arrived.id == bought.id)
      #expect(arrived.deliveryReason == .elsewhere)
      #expect(arrived.payment.product.productIdentifier == ExampleProducts.adFree)
      // A device that was off during the purchase.
      let sleeper = try await system.signedInDevice(of: user, observed: false)
      await sleeper.close()
      let later = try await other.buy(ExampleProducts.season)
      try await sleeper.restart(observed: true)
      try await sleeper.app.until { $0.updates.contains { $0.id == later.id && $0.deliveryReason == .elsewhere } }
    }
  }

  @Test("QUE-16: a renewal arrives within one sync, with its reason and its original")
  func renewal() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let first = try await device.buy(ExampleProducts.monthly)
      try await device.finish(first)
      let renewal = try await system.renew(first, of: device.user)
      try await device.app.until { $0.updates.contains { $0.id == renewal } }
      let arrived = try #require(device.app.updates.first { $0.id == renewal })
      #expect(arrived.deliveryReason == .renewed)
      #expect(arrived.originalTransactionIdentifier == first.transactionIdentifier)
    }
  }

  @Test("QUE-17: a delivery carries its reason: new, redelivered, restored or elsewhere")
  func reasons() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let device = try await system.signedInDevice(of: user)
      let bought = try await device.buy(ExampleProducts.adFree)
      #expect(bought.deliveryReason == .new)
      try await device.restart()
      let deliveryReason = try await device.app.first(.purchased).deliveryReason
      #expect(deliveryReason == .redelivered)
      try await device.finish(bought)
      device.restore()
      let secondDeliveryReason = try await device.app.first(.restored).deliveryReason
      #expect(secondDeliveryReason == .restored)
      let other = try await system.signedInDevice(of: user)
      let season = try await other.buy(ExampleProducts.season)
      try await device.app.until { $0.updates.contains { $0.id == season.id } }
      #expect(device.app.updates.first { $0.id == season.id }?.deliveryReason == .elsewhere)
    }
  }

  @Test("QUE-19: a refund reaches running apps within one sync, and the entitlement ends")
  func refund() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let device = try await system.signedInDevice(of: user)
      let other = try await system.signedInDevice(of: user)
      let (finished, kept) = (
        try await device.buy(ExampleProducts.adFree), try await device.buy(ExampleProducts.season)
      )
      try await device.finish(finished)
      for transaction in [finished, kept] {
        try await system.refund(transaction)
        for app in [device.app, other.app] {
          try await app.until { $0.revocations.contains { $0.id == transaction.id && $0.revocationDate != nil } }
        }
      }
      // The unfinished transaction was removed from the queue, and was not delivered as purchased again.
      #expect(device.queue.transactions.isEmpty)
      #expect(device.app.removals.map(\.id).contains(kept.id))
      #expect(device.app.states(of: kept.id).count { $0 == .purchased } == 1)
      device.queue.finishTransaction(kept)
      device.restore()
      try await device.app.until { $0.heard.contains(.restoreFinished) }
      #expect(!device.app.updates.contains { $0.transactionState == .restored })
      // It can be bought, and paid, again.
      let transactionIdentifier = try await device.buy(ExampleProducts.adFree).transactionIdentifier
      #expect(transactionIdentifier != finished.transactionIdentifier)
      let saleCount = try await system.sales().count
      #expect(saleCount == 3)
      // Each revocation was delivered once, also across a restart.
      #expect(device.app.revocations.map(\.id) == [finished.id, kept.id])
      try await device.restart()
      let marker = try await other.buy(ExampleProducts.monthly)
      try await device.app.until { $0.updates.contains { $0.id == marker.id } }
      #expect(device.app.revocations.isEmpty)
    }
  }

  @Test("QUE-20: a device that has lost its place is told of the refunds that it missed, once")
  func refundWithoutCursor() async throws {
    try await TestedSystem.run { system in
      let user = system.user()
      let device = try await system.signedInDevice(of: user)
      let other = try await system.signedInDevice(of: user)
      let (pack, lasting) = (try await device.buy(ExampleProducts.coins), try await device.buy(ExampleProducts.adFree))
      for transaction in [pack, lasting] { try await device.finish(transaction) }
      await device.close()
      for transaction in [pack, lasting] { try await system.refund(transaction) }
      for (count, product) in [(2, ExampleProducts.season), (0, ExampleProducts.monthly)] {
        for name in device.folder.names() where name.hasPrefix("cursor-") {
          try FileManager.default.removeItem(atPath: device.folder.file(name))
        }
        try await device.restart()
        let marker = try await other.buy(product)
        try await device.app.until {
          $0.updates.contains { $0.id == marker.id } && $0.revocations.count >= count
        }
        #expect(Set(device.app.revocations.map(\.id)) == (count == 0 ? [] : [pack.id, lasting.id]))
        await device.close()
      }
    }
  }
}
