import ConformanceTable
import Foundation
import OnsideKit
import OnsideStore
import StorePayments
import Testing

/// What subscribers are told before they are charged, and when a charge has failed.
@MainActor
@Suite(
  "Subscriptions: messages", .serialized, .columns(.store, because: "a local store sends no messages"),
  .timeLimit(.minutes(5)))
struct SubscriberMessageTests {
  @Test("SUB-9: the end of a trial and the price that follows are told once, before the charge")
  func trial() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      let end = try #require(subscriber.first.expirationDate)
      try await subscriber.pass(to: end - 2 * 86_400)
      try await system.isTold(subscriber.user) { $0.count == 1 }
      let text = try #require(system.told(subscriber.user).first)
      #expect(text.contains("Your free trial of") && text.contains("Lumen Pro, monthly") && text.contains(/3[.,]99/))
      #expect(text.contains("/account/subscriptions"))
      let amounts = try await system.amounts()
      #expect(amounts.isEmpty, "nothing was charged by then")
      try await subscriber.passPeriods(2)
      try await system.core.deliverOutbox()
      #expect(system.told(subscriber.user) == [text])
    }
  }

  @Test("SUB-9: who has switched the renewal off is told of no charge")
  func switchedOff() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.end()
      try await system.core.deliverOutbox()
      #expect(system.told(subscriber.user).isEmpty)
    }
  }

  @Test("SUB-9, SUB-2: a refused charge is told once, whatever the tries")
  func refused() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.passPeriods(1)
      // Of the trial's end.
      let before = 1
      try await system.isTold(subscriber.user) { $0.count == 1 }
      try await system.setCards(of: subscriber.user, to: .declined)
      let end = try #require(try await subscriber.status().expirationDate)
      try await subscriber.pass(to: end + 60)
      try await system.isTold(subscriber.user) { $0.count == before + 1 }
      #expect(system.told(subscriber.user).last?.contains("was refused") == true)
      try await subscriber.pass(to: end + 10 * 86_400)
      try await subscriber.waits(for: .inGracePeriod)
      try await system.core.deliverOutbox()
      #expect(system.told(subscriber.user).count == before + 1)
    }
  }
}

extension TestedSystem {
  /// What was told to a user, the oldest first.
  fileprivate func told(_ user: SimulatedUser) -> [String] { phones.notices.value[user.phone] ?? [] }

  /// Delivers what is due, and returns when the user was told so much.
  fileprivate func isTold(_ user: SimulatedUser, _ condition: @escaping @Sendable ([String]) -> Bool) async throws {
    try await core.deliverOutbox()
    let phone = user.phone
    try await phones.notices.until { condition($0[phone] ?? []) }
  }
}
