public import Foundation
package import OnsideAPI
import OnsideCommerce
package import StoreAccounts
package import StoreBase

/// A tester's clock: moves one account of a sandbox ahead of the store. On the way, all due events of the account
/// happen at their moments and in their order: renewals and their payments, retries after a declined charge, the end of
/// a grace period or a pause.
///
/// Each step is one write, which moves the account to its next due moment and applies the due events. An interrupted
/// move leaves an account at its last step, and another move continues from there.
public struct AccountClock: Sendable {
  /// The longest move of one call, in seconds: three years.
  public static let longestMove: TimeInterval = 3 * 366 * 86_400
  /// The longest wait of a step for the answer of a payment provider.
  public static let patience: Duration = .seconds(60)
  /// The interval between two checks for that answer.
  private static let look: Duration = .milliseconds(50)
  /// Maximum number of steps at one moment.
  private static let triesPerMoment = 50

  private let account: AccountID
  private let dependencies: BaseDependencies
  private let orders: OrderService
  private let lifecycle: SubscriptionLifecycle
  private let changes: ChangeHub
  private let deliverOutbox: @Sendable () async throws -> Void

  /// The clock of an account.
  ///
  /// - Parameter deliverOutbox: delivers all due outbox rows. The closure retains the services of the deliveries,
  ///   because the outbox does not.
  package init(
    of account: AccountID, _ dependencies: BaseDependencies, orders: OrderService, lifecycle: SubscriptionLifecycle,
    changes: ChangeHub, deliverOutbox: @escaping @Sendable () async throws -> Void
  ) {
    (self.account, self.dependencies) = (account, dependencies)
    (self.orders, self.lifecycle, self.changes) = (orders, lifecycle, changes)
    self.deliverOutbox = deliverOutbox
  }

  /// An account's time.
  public struct Standing: Sendable, Hashable {
    /// The present time of the account.
    public let now: Date
    /// The difference from the store's time, in milliseconds.
    public let millisecondsAhead: Int64

    /// Returns the seconds until the account is ahead by a number of milliseconds.
    fileprivate func seconds(to target: Int64) -> Int { Int((target - millisecondsAhead + 999) / 1000) }
  }

  /// Returns the latest time of an account of a store.
  package static func latest(_ dependencies: BaseDependencies) async throws -> Date {
    let now = dependencies.clock.now()
    let ahead = try await dependencies.database.read { try AccountRecords.furthestAhead(in: $0) }
    return now.addingTimeInterval(Double(ahead) / 1000)
  }

  /// Returns the account's time. Throws ``SandboxClockError``.
  public func standing() async throws -> Standing {
    try await dependencies.database.read(at: dependencies.clock.now()) { try self.standing(in: $0) }
  }

  /// Moves the account forward, and returns its time then.
  ///
  /// - Parameter patience: the longest wait of a step for the answer of a payment provider. A renewal with an open
  ///   payment is never overtaken.
  /// - Throws: ``SandboxClockError``.
  @discardableResult
  public func advance(by seconds: TimeInterval, patience: Duration = Self.patience) async throws -> Standing {
    guard dependencies.environment == .sandbox else { throw SandboxClockError.notASandbox }
    guard seconds >= 0 else { throw SandboxClockError.backwards }
    guard seconds <= Self.longestMove else { throw SandboxClockError.tooFar }
    let standing = try await standing()
    let target = standing.millisecondsAhead + Int64(seconds * 1000)
    do {
      return try await advance(from: standing, to: target, patience: patience)
    } catch let error as SandboxClockError {
      throw error
    } catch {
      // Each step is one write: the account's time shows the completed steps.
      guard let present = try? await self.standing() else {
        throw SandboxClockError.accountOutcomeUnknown(account: account.description)
      }
      throw SandboxClockError.interrupted(
        account: account.description, at: present.now, left: present.seconds(to: target), reason: "\(error)")
    }
  }

  private func advance(from start: Standing, to target: Int64, patience: Duration) async throws -> Standing {
    var (standing, tries) = (start, 0)
    while true {
      try await awaitCharges(upTo: patience, target: target)
      let (next, isLast) = try await step(from: standing, towards: target)
      changes.wake(account: account.description)
      try await orders.expireOpenOrders()
      tries = next.millisecondsAhead == standing.millisecondsAhead ? tries + 1 : 0
      standing = next
      if isLast { return standing }
      guard tries < Self.triesPerMoment else {
        throw SandboxClockError.stuck(
          account: account.description, at: standing.now, left: standing.seconds(to: target))
      }
    }
  }

  /// Resets the account to the store's time. Only while it has no orders, which would lie in the future.
  public func reset() async throws {
    try await dependencies.database.write(at: dependencies.clock.now()) { [account] transaction in
      _ = try self.standing(in: transaction)
      guard try OrderRecords.isEmpty(of: account.description, in: transaction) else {
        throw SandboxClockError.accountHasOrders
      }
      try AccountRecords.setAhead(of: account.description, milliseconds: 0, in: transaction)
    }
  }

  private func standing(in transaction: StoreTransaction) throws -> Standing {
    guard dependencies.environment == .sandbox else { throw SandboxClockError.notASandbox }
    guard let ahead = try AccountRecords.millisecondsAhead(of: account.description, in: transaction) else {
      throw SandboxClockError.unknownAccount(account.description)
    }
    return Standing(now: transaction.ahead(byMilliseconds: ahead).now, millisecondsAhead: ahead)
  }

  /// Moves the account to its next due moment, and applies the due events. Without one before the target, moves it to
  /// the target: that is the last step.
  private func step(
    from known: Standing, towards target: Int64
  ) async throws -> (standing: Standing, isLast: Bool) {
    try await dependencies.database.write(at: dependencies.clock.now()) { [account, lifecycle] transaction in
      let id = account.description
      let present = try self.standing(in: transaction)
      // Two concurrent moves would mix their events.
      guard present.millisecondsAhead == known.millisecondsAhead else { throw SandboxClockError.movedMeanwhile }
      let next = try DueOfAccount.next(of: id, in: transaction).map { moment in
        let ahead = (moment.timeIntervalSince(transaction.storeNow) * 1000).rounded(.up)
        return max(present.millisecondsAhead, Int64(ahead))
      }
      let isLast = next.map { $0 > target } ?? true
      let ahead = isLast ? target : next ?? target
      if ahead != present.millisecondsAhead {
        try AccountRecords.setAhead(of: id, milliseconds: ahead, in: transaction)
      }
      try DueOfAccount.run(of: id, lifecycle, in: transaction.ahead(byMilliseconds: ahead))
      return (try self.standing(in: transaction), isLast)
    }
  }

  /// Delivers the outbox until no renewal of the account is being paid.
  private func awaitCharges(upTo patience: Duration, target: Int64) async throws {
    let end = dependencies.clock.uptime() + patience
    while true {
      try await deliverOutbox()
      let open = try await dependencies.database.read { [account] in
        try DueOfAccount.openCharges(of: account.description, in: $0)
      }
      guard let order = open.first else { return }
      guard dependencies.clock.uptime() < end else {
        let standing = try await standing()
        throw SandboxClockError.chargeIsOpen(
          order: order.lowercase, account: account.description, at: standing.now,
          left: standing.seconds(to: target))
      }
      try await dependencies.clock.sleep(for: Self.look)
    }
  }
}

/// The due events of one account, at its own time.
enum DueOfAccount {
  /// Returns the next due moment, which may have passed; nil without one.
  static func next(of account: String, in connection: any SQLConnection) throws -> Date? {
    try SubscriptionRecords.subscriptions(of: account, in: connection).compactMap(\.nextDue).min()
  }

  /// Applies the due events at the transaction's time, which is the account's.
  static func run(of account: String, _ lifecycle: SubscriptionLifecycle, in transaction: StoreTransaction) throws {
    for known in try SubscriptionRecords.subscriptions(of: account, in: transaction)
    where known.nextDue.map({ $0 <= transaction.now }) == true {
      try lifecycle.passTime(of: known.key, in: transaction)
    }
  }

  /// Returns the orders of renewals whose payments a provider has not answered.
  static func openCharges(of account: String, in connection: any SQLConnection) throws -> [UUID] {
    try SubscriptionRecords.subscriptions(of: account, in: connection)
      .filter { $0.machine.openCharge != nil }.compactMap(\.renewalOrder)
  }
}
