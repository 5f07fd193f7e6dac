import OnsideCommerce
import OnsideKit
import OnsideStore
import StorePayments
import StoreSales
import StoreTestSupport

/// What the buyer, and the bank, do with a subscription: on its page at a store over HTTP; in a local store, which has
/// no such page, by the calls that stand for it.
extension TestedSubscriber {
  /// The subscription in the local store; nil over HTTP.
  private var local: LocalSubscription? { system.local?.subscription(group, of: user.phone) }

  /// Chooses the plan of the next renewal; the present one takes a choice back.
  func choose(_ plan: String) async throws {
    if let local { return try local.change(to: plan) }
    try await pages.press("plan", plan)
  }

  /// Plans a pause from the end of the period on.
  func pause(months: Int) async throws {
    if let local { return try local.pause(months: months) }
    try await pages.press("pause", "\(months)")
  }

  /// Ends a pause that runs.
  func resume() async throws {
    if let local { return try local.resume() }
    // Until the store has looked at the clock, the page still has the button that takes the plan back.
    try await NamedDeadline.wait(for: "a pause that is over", every: .milliseconds(100)) {
      guard try await status().state == .paused else { return true }
      try await pages.press("pause", "0")
      return false
    }
    try await system.deliverOutbox()
  }

  /// Agrees to the price that the subscription is asked about.
  func agree() async throws {
    if let local { return try local.consentToPriceRise() }
    try await pages.press("agrees", "1")
  }

  /// Lets the bank refuse the next charges.
  /// - Parameter count: how many in a local store; over HTTP all, until the card is accepted again.
  func declineCard(times count: Int) async throws {
    if let local { return try local.fail(.cardDeclined, times: count) }
    try await system.setCards(of: user, to: .declined)
  }

  /// Lets the bank accept the card again. In a local store it does so by itself after the refusals.
  func acceptCard() async throws {
    if system.isOverHTTP { try await system.setCards(of: user, to: .succeeds) }
  }
}

extension TestedSystem {
  /// Gives the monthly plan another price, for present subscribers, too. Returns how many of them are asked.
  @MainActor
  func raiseMonthlyPrice(to cents: Int64, for subscribers: [TestedSubscriber]) async throws -> Int {
    if let local {
      return try subscribers.count(where: { subscriber in
        try local.subscription(ExampleProducts.monthly, of: subscriber.user.phone)
          .raisePrice(to: Money(minorUnits: Int64(cents), currency: .eur).amount)
      })
    }
    try await change(ExampleProducts.monthly) { $0.prices[.netherlands] = Money(minorUnits: cents, currency: .eur) }
    let report = try await operate { try await $0.subscriptions.reprice(ExampleProducts.monthly, of: Self.app) }
    return report.counts.filter { $0.key.outcome == .asked }.values.reduce(0, +)
  }
}
