import Foundation
import OnsideAPI
import OnsideCommerce

/// A subscription with the order of its last paid period.
struct CurrentSubscription: Sendable {
  let subscription: StoredSubscription
  let lastOrder: Order
}

/// Lets subscriptions renew, and switches their renewal off and on.
public final class SubscriptionService: Sendable {
  /// How many subscriptions one write deals with: purchases wait for it.
  private static let batch = 50

  private let dependencies: StoreDependencies
  private let settlement: PaymentSettlement
  private let changes: ChangeHub

  init(_ dependencies: StoreDependencies, settlement: PaymentSettlement, changes: ChangeHub) {
    self.dependencies = dependencies
    self.settlement = settlement
    self.changes = changes
  }

  /// Does what is due: asks for the payments of next periods and for those that are tried again, and ends what is over.
  /// The writes of all processes run one after the other, so that nothing is done twice. Returns how many subscriptions
  /// there were.
  @discardableResult
  public func passTime() async throws -> Int {
    var count = 0
    while !Task.isCancelled {
      let now = dependencies.clock.now()
      guard try await dependencies.database.read({ try SubscriptionRecords.isDue(at: now, in: $0) }) else { break }
      let accounts = try await dependencies.database.write(at: now) { [settlement] transaction in
        try settlement.passTime(limit: Self.batch, in: transaction)
      }
      for account in Set(accounts) { changes.wake(account: account) }
      count += accounts.count
      if accounts.count < Self.batch { break }
    }
    return count
  }

  /// The subscriptions of an account that go on, or could.
  func current(of account: String) async throws -> [CurrentSubscription] {
    let orders = settlement.orders
    return try await dependencies.database.read { connection in
      try SubscriptionRecords.subscriptions(of: account, in: connection).filter(\.machine.isSubscribed).compactMap {
        subscription in
        try orders.order(subscription.lastOrder, in: connection).map {
          CurrentSubscription(subscription: subscription, lastOrder: $0)
        }
      }
    }
  }

  /// Does now what a subscription waits for next, such as its renewal: for testers, who would wait for a month. Returns
  /// whether it waits for something.
  public func runNextEvent(of account: String, app: String, group: String) async throws -> Bool {
    let key = SubscriptionKey(account: account, app: app, group: group)
    let hasRun = try await dependencies.database.write(at: dependencies.clock.now()) {
      [settlement] transaction -> Bool in
      guard var subscription = try SubscriptionRecords.subscription(key, in: transaction),
        let moment = subscription.machine.wakesAt
      else { return false }
      let effects = subscription.machine.handle(.clock, at: max(moment, transaction.now))
      try settlement.carryOut(effects, of: &subscription, in: transaction)
      return true
    }
    if hasRun { changes.wake(account: account) }
    return hasRun
  }

  /// Switches the renewal of a subscription off or on; false when there is nothing to switch. Without renewal nothing
  /// more is charged: what is paid stays to its end, and what is not paid is over at once.
  package func setAutoRenew(_ isOn: Bool, of account: String, app: String, group: String) async throws -> Bool {
    let key = SubscriptionKey(account: account, app: app, group: group)
    let hasChanged = try await dependencies.database.write(at: dependencies.clock.now()) {
      [settlement] transaction -> Bool in
      guard var subscription = try SubscriptionRecords.subscription(key, in: transaction) else { return false }
      let before = subscription.machine
      let effects = subscription.machine.handle(.autoRenewSwitched(on: isOn), at: transaction.now)
      guard subscription.machine != before else { return false }
      try settlement.carryOut(effects, of: &subscription, in: transaction)
      return true
    }
    if hasChanged { changes.wake(account: account) }
    return hasChanged
  }
}
