import Foundation
import HTTPTypes
import OnsideAPI
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// The daily sweep of payment methods that no account has saved and no subscription uses.
@Suite("The sweep of payment methods", .timeLimit(.minutes(5)))
struct MethodSweepTests {
  private static func sweep(_ store: TestStore) async throws -> Int {
    try await MethodSweep(store.core.dependencies.base, providers: store.core.providers).run()
  }

  @Test("SUB-17: the sweep detaches a method that two runs a day apart find unused, however old it is")
  func marked() async throws {
    try await TestStore().shop { shopper in
      let (subscriber, store) = (try await shopper.subscribe(saving: false), shopper.store)
      #expect(try await subscriber.setAutoRenew(false))
      try await subscriber.pass(days: 40)
      let atEnd = try await Self.sweep(store)
      #expect(atEnd == 0)
      store.advance(by: .seconds(86_399))
      let early = try await Self.sweep(store)
      #expect(early == 0)
      store.advance(by: .seconds(1))
      let count = try await Self.sweep(store)
      #expect(count == 1)
    }
  }

  @Test("SUB-17: a method that is used again after the first run is not detached by the second one")
  func usedAgain() async throws {
    try await TestStore().shop { shopper in
      let (subscriber, store) = (try await shopper.subscribe(saving: false), shopper.store)
      #expect(try await subscriber.setAutoRenew(false))
      try await subscriber.pass(days: 40)
      let atEnd = try await Self.sweep(store)
      #expect(atEnd == 0)
      let again = try await shopper.subscribe(saving: false)
      store.advance(by: .seconds(86_400))
      let whileUsed = try await Self.sweep(store)
      #expect(whileUsed == 0)
      // Unused once more: the mark of the first run does not count.
      try await store.core.orders.refund(again.purchase.id.uuid, because: .refund)
      try await store.core.deliverOutbox()
      let count = try await Self.sweep(store)
      #expect(count == 0)
    }
  }

  @Test("SUB-17: the sweep leaves a method alone while a renewal's charge with it is under way")
  func charging() async throws {
    try await TestStore().shop { shopper in
      let (subscriber, store) = (try await shopper.subscribe(), shopper.store)
      try await shopper.replaceCards(by: .neverSettles)
      try await store.core.dependencies.database.write { try $0.execute("UPDATE payment_methods SET is_saved = 0") }
      try await subscriber.pass(to: try #require(subscriber.purchase.expiresAt) - 3600)
      #expect(try await subscriber.setMethod(try await store.save(.succeeds, of: shopper.accountID)))
      for _ in 0..<2 {
        store.advance(by: .seconds(86_400))
        let count = try await Self.sweep(store)
        #expect(count == 0)
      }
      let renewal = OrderID(try #require(try await subscriber.renewals().first).id)
      let payment = try #require(try await store.payments(of: renewal).first)
      let event = try await store.event("declined", payment: payment, order: renewal, with: shopper.client)
      #expect(event == .noContent)
      try await store.core.deliverOutbox()
      var counts: [Int] = []
      for _ in 0..<2 {
        counts.append(try await Self.sweep(store))
        store.advance(by: .seconds(86_400))
      }
      #expect(counts == [0, 1])
    }
  }
}
