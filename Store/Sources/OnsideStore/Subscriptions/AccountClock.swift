public import Foundation
public import OnsideAPI
import OnsideCommerce
import StoreBase

/// A tester's clock: one account of a sandbox goes ahead of the store, and the others stay. On the way everything that
/// is due for the account happens at its moment and in its order: renewals and their payments, tries after a refused
/// card, the end of a grace period or a pause.
///
/// Each step is one write, which moves the account to the next such moment and does what is due then. So an interrupted
/// move leaves an account that has lived until its last step, and another move goes on from there.
public struct AccountClock: Sendable {
  /// How far one call moves an account at most, in seconds: three years.
  public static let longestMove: TimeInterval = 3 * 366 * 86_400
  /// How long a step waits for the answer of a payment provider.
  public static let patience: Duration = .seconds(60)
  /// How often it looks for that answer.
  private static let look: Duration = .milliseconds(50)
  /// How often something may be due at one moment.
  private static let triesPerMoment = 50

  private let core: StoreCore
  private let account: AccountID
  private var dependencies: StoreDependencies { core.dependencies }

  /// The clock of an account.
  public init(of account: AccountID, core: StoreCore) {
    (self.account, self.core) = (account, core)
  }

  /// An account's time.
  public struct Standing: Sendable, Hashable {
    /// The present moment there.
    public let now: Date
    /// How far it is ahead of the store, in milliseconds.
    public let millisecondsAhead: Int64

    /// How many seconds are left until the account is so many milliseconds ahead.
    fileprivate func seconds(to target: Int64) -> Int { Int((target - millisecondsAhead + 999) / 1000) }
  }

  /// The latest time that an account of a store has.
  public static func latest(_ dependencies: StoreDependencies) async throws -> Date {
    let now = dependencies.clock.now()
    let ahead = try await dependencies.database.read { try AccountRecords.furthestAhead(in: $0) }
    return now.addingTimeInterval(Double(ahead) / 1000)
  }

  /// The account's time. Throws ``SandboxClockError``.
  public func standing() async throws -> Standing {
    try await dependencies.database.read(at: dependencies.clock.now()) { try self.standing(in: $0) }
  }

  /// Moves the account forward; returns its time then.
  ///
  /// - Parameter patience: how long a step waits for the answer of a payment provider: a renewal whose payment is
  ///   open is never overtaken.
  /// - Throws: ``SandboxClockError``.
  @discardableResult
  public func advance(by seconds: TimeInterval, patience: Duration = Self.patience) async throws -> Standing {
    guard dependencies.configuration.environment == .sandbox else { throw SandboxClockError.notASandbox }
    guard seconds >= 0 else { throw SandboxClockError.backwards }
    guard seconds <= Self.longestMove else { throw SandboxClockError.tooFar }
    let standing = try await standing()
    let target = standing.millisecondsAhead + Int64(seconds * 1000)
    do {
      return try await advance(from: standing, to: target, patience: patience)
    } catch let error as SandboxClockError {
      throw error
    } catch {
      // Each step is one write: where the account stands is what was done.
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
      core.changes.wake(account: account.description)
      try await core.orders.expireOpenOrders()
      tries = next.millisecondsAhead == standing.millisecondsAhead ? tries + 1 : 0
      standing = next
      if isLast { return standing }
      guard tries < Self.triesPerMoment else {
        throw SandboxClockError.stuck(
          account: account.description, at: standing.now, left: standing.seconds(to: target))
      }
    }
  }

  /// Sets the account back to the store's time. Only while it has no orders: they would lie in the future.
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
    guard dependencies.configuration.environment == .sandbox else { throw SandboxClockError.notASandbox }
    guard let ahead = try AccountRecords.millisecondsAhead(of: account.description, in: transaction) else {
      throw SandboxClockError.unknownAccount(account.description)
    }
    return Standing(now: transaction.ahead(byMilliseconds: ahead).now, millisecondsAhead: ahead)
  }

  /// Moves the account to the next moment at which something is due for it, and does what is due; or to the target,
  /// when nothing is due until then: that is the last step.
  private func step(
    from known: Standing, towards target: Int64
  ) async throws -> (standing: Standing, isLast: Bool) {
    try await dependencies.database.write(at: dependencies.clock.now()) { [account, lifecycle] transaction in
      let id = account.description
      let present = try self.standing(in: transaction)
      // Two moves at a time would do what is due in an order that neither has meant.
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

  private var lifecycle: SubscriptionLifecycle { core.subscriptions.lifecycle }

  /// Delivers what waits to leave the store until no renewal of the account is being paid.
  private func awaitCharges(upTo patience: Duration, target: Int64) async throws {
    let end = dependencies.clock.uptime() + patience
    while true {
      try await core.deliverOutbox()
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

/// What is due for one account, in its own time.
enum DueOfAccount {
  /// The next moment at which something is due; nil when nothing is. It may have passed.
  static func next(of account: String, in connection: any SQLConnection) throws -> Date? {
    try SubscriptionRecords.subscriptions(of: account, in: connection).compactMap(\.nextDue).min()
  }

  /// Does what is due by the transaction's time, which is the account's.
  static func run(of account: String, _ lifecycle: SubscriptionLifecycle, in transaction: StoreTransaction) throws {
    for known in try SubscriptionRecords.subscriptions(of: account, in: transaction)
    where known.nextDue.map({ $0 <= transaction.now }) == true {
      try lifecycle.passTime(of: known.key, in: transaction)
    }
  }

  /// The orders of renewals whose payments a provider has not answered.
  static func openCharges(of account: String, in connection: any SQLConnection) throws -> [UUID] {
    try SubscriptionRecords.subscriptions(of: account, in: connection)
      .filter { $0.machine.openCharge != nil }.compactMap(\.renewalOrder)
  }
}
