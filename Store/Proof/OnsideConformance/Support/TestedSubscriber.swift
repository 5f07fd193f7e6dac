import Foundation
import OnsideCommerce
import OnsideKit
import OnsideStore
import StoreBase
import StoreSales
import StoreTestSupport
import Testing

/// A user with a subscription, and the device that it was bought on.
@MainActor
final class TestedSubscriber {
  let system: TestedSystem
  let user: SimulatedUser
  let device: TestedDevice
  /// The purchase, which the app has finished.
  let first: OnsidePaymentTransaction
  let group: String
  /// The user's browser at the store over HTTP.
  private(set) lazy var pages = SubscriptionPages(of: system, for: user)

  private init(
    _ system: TestedSystem, device: TestedDevice, first: OnsidePaymentTransaction, group: String
  ) {
    (self.system, self.device, user, self.first, self.group) = (system, device, device.user, first, group)
  }

  /// Buys a subscription as a new user.
  ///
  /// - Parameter isLoggedIn: whether the browser that pays at a store over HTTP is logged in. Only then the card is the
  ///   account's own, and pays for another plan or a higher price.
  static func subscribe(
    to product: String, in system: TestedSystem, phone: String = "+31612345678", isLoggedIn: Bool = false
  ) async throws -> TestedSubscriber {
    let device = try await system.signedInDevice(of: system.user(phone))
    let group = try #require(try await device.product(product).subscriptionGroupIdentifier)
    let pages = isLoggedIn && system.isOverHTTP ? SubscriptionPages(of: system, for: device.user) : nil
    if let pages {
      device.user.next(.payment) { visit in try visit.leave(try await pages.pay(at: visit.address)) }
    }
    let first = try await device.buy(product)
    try await device.finish(first)
    let subscriber = TestedSubscriber(system, device: device, first: first, group: group)
    if let pages { subscriber.pages = pages }
    return subscriber
  }

  func status() async throws -> OnsideSubscriptionStatus {
    try await device.client.subscriptionStatus(group: group)
  }

  /// Returns when the store says that the subscription is in a state.
  func waits(for state: OnsideSubscriptionState) async throws {
    try await NamedDeadline.wait(for: "a subscription that is \(state)", every: .milliseconds(20)) {
      try await status().state == state
    }
  }

  /// What may be used on the device now.
  func active() async -> [String] {
    await device.client.entitlements.filter(\.isActive).map(\.productIdentifier).sorted()
  }

  /// Starts the app again, which asks the store what may be used.
  func restart() async throws { try await device.restart() }

  /// Lets time pass until so many periods have ended, one after the other.
  func passPeriods(_ count: Int) async throws {
    for _ in 0..<count {
      let end = try #require(try await status().expirationDate)
      try await pass(to: end + 60)
      try await renewed(after: end)
    }
  }

  /// Waits until the period that ends at a moment is over.
  func renewed(after end: Date?) async throws {
    let what = "a period after the one that ends at \(end.map { "\($0)" } ?? "no time")"
    try await NamedDeadline.wait(for: what, every: .milliseconds(20)) { try await status().expirationDate != end }
  }

  /// Lets time pass to a moment. The app is used every three weeks: a login that nobody uses ends after a month.
  ///
  /// - Parameter others: who use their apps as often.
  func pass(to moment: Date, with others: [TestedSubscriber] = []) async throws {
    while system.now < moment {
      try await system.passTime(to: min(moment, system.now + 21 * 86_400))
      for subscriber in [self] + others { _ = try await subscriber.status() }
    }
  }

  /// Pays for a month after the trial, switches the renewal off, and lets the subscription end.
  func lapse() async throws {
    try await passPeriods(1)
    _ = try await renewal(after: 0)
    try await end()
  }

  /// Switches the renewal off, and lets the present period end.
  func end() async throws {
    try await system.stopRenewing(ExampleProducts.monthly, of: user)
    try await pass(to: try #require(try await status().expirationDate) + 60)
    try await waits(for: .expired)
  }

  /// Waits for one more renewal than there were, and finishes it.
  func renewal(after count: Int) async throws -> OnsidePaymentTransaction {
    let first = first
    let all: @MainActor (Listener) -> [OnsidePaymentTransaction] = { app in
      var known: Set<UUID> = []
      return SubscriptionTests.renewals(of: first, in: app).filter { known.insert($0.id).inserted }
    }
    try await device.app.until { all($0).count > count }
    let renewal = try #require(all(device.app).last)
    try await device.finish(renewal)
    return renewal
  }
}

/// The store's records.
extension TestedSubscriber {
  /// The orders of the user at a store over HTTP, the oldest first.
  func orders() async throws -> [Order] { try await system.orders(of: user) }

  /// The orders of the user, the oldest first.
  func booked() async throws -> [TestedSystem.BookedOrder] { try await system.booked(of: user) }

  /// What has gone back of an order, in the currency's smallest unit.
  func givenBack(_ order: UUID) async throws -> [Int64] {
    if let local = system.local {
      return local.transactions(of: user.phone).filter { $0.id == order }.compactMap(\.givenBack?.minorUnits)
    }
    return try await system.core.refunds.refunds(of: order).filter { $0.state == .settled }.map(\.amount.minorUnits)
  }

  /// The differences between the books and what they are about; a local store has no books.
  func faults() async throws -> [Reconciliation.Fault] {
    guard system.isOverHTTP else { return [] }
    return try await system.core.dependencies.database.read { try Reconciliation($0).faults() }
  }
}

extension TestedSystem {
  /// The time of the store, remote or local.
  var now: Date { local == nil ? core.dependencies.clock.now() : Date().addingTimeInterval(ahead.value) }

  /// Lets time pass to a moment, which is no earlier than now.
  func passTime(to moment: Date) async throws {
    try await letTimePass(seconds: Int64(max(0, moment.timeIntervalSince(now).rounded(.up))))
  }
}
