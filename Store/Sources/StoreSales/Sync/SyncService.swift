import Foundation
import OnsideCommerce
package import StoreAccounts
package import StoreBase

/// Sync of an account's orders to its devices by long polling: returns the changes, and waits for one when there is
/// none.
package struct SyncService: Sendable {
  /// The result of one sync.
  struct Findings: Sendable {
    let cursor: SyncCursor
    let orders: [Order]
    /// The revoked ones that the device has finished.
    var finishedHere: Set<UUID> = []
    /// False when the device starts over.
    let goesOn: Bool
    /// How far the account is ahead of the store, in seconds.
    var ahead: TimeInterval = 0
  }

  package let database: any Database
  package let records: OrderRecords
  package let changes: ChangeHub
  package let leases: DeliveryLeases
  package let environment: StoreEnvironment

  package init(
    database: any Database, records: OrderRecords, changes: ChangeHub, leases: DeliveryLeases,
    environment: StoreEnvironment
  ) {
    self.database = database
    self.records = records
    self.changes = changes
    self.leases = leases
    self.environment = environment
  }

  /// The orders that changed since a cursor; waits for a change until the time is up. Without a cursor, or with one
  /// from before a backup was restored, it returns all orders that the device needs, at once. Each sync renews the
  /// device's delivery leases.
  ///
  /// - Parameter now: the store's time.
  func sync(for caller: OrderCaller, since cursor: SyncCursor?, wait: Duration, now: Date) async throws -> Findings {
    let subscription = changes.subscribe(account: caller.customer.account)
    defer { changes.unsubscribe(subscription) }
    try await leases.renew(for: caller)
    let findings = try await read(for: caller, cursor: cursor, now: now)
    // A change without orders is news, too: a subscription has ended.
    guard findings.goesOn, findings.orders.isEmpty, findings.cursor == cursor, wait > .zero else {
      return findings
    }
    await changes.wait(subscription, since: findings.cursor, upTo: wait)
    try await leases.renew(for: caller)
    return try await read(for: caller, cursor: cursor, now: now)
  }

  /// The orders that a restore of purchases returns: the owned ones, the newest of each chain.
  ///
  /// - Parameter now: the store's time.
  func restorable(of customer: Customer, now: Date) async throws -> [Order] {
    let owned = try await database.read(at: now) { [records, environment] transaction in
      guard try AccountRecords.country(of: customer.account, in: transaction) != nil else {
        throw OrderError.accountRemoved
      }
      let transaction = try transaction.at(timeOf: customer.account, in: environment)
      return try Self.owned(
        try records.orders(.entitled, of: customer, in: transaction), of: customer, in: transaction)
    }
    return owned.sorted { ($0.createdAt, $0.id.lowercase) < ($1.createdAt, $1.id.lowercase) }
  }

  /// The owned orders among some, the newest of each chain: those that give their buyer something that lasts, also in a
  /// grace period.
  private static func owned(
    _ orders: [Order], of customer: Customer, in transaction: StoreTransaction
  ) throws -> [Order] {
    let now = transaction.now
    let inGrace = try SubscriptionRecords.ordersInGrace(of: customer, in: transaction)
    var newest: [UUID: Order] = [:]
    for order in orders
    where order.duplicateOf == nil && (order.isOwned(at: now) || order.state.isEntitled && inGrace.contains(order.id)) {
      let chain = order.originalOrderID ?? order.id
      if let known = newest[chain], (known.paidAt ?? known.createdAt) > (order.paidAt ?? order.createdAt) { continue }
      newest[chain] = order
    }
    return Array(newest.values)
  }

  private func read(for caller: OrderCaller, cursor: SyncCursor?, now: Date) async throws -> Findings {
    let customer = caller.customer
    return try await database.read(at: now) { [records, environment] transaction in
      let connection = try transaction.at(timeOf: customer.account, in: environment)
      let ahead = connection.now.timeIntervalSince(now)
      guard let (country, change) = try AccountChangeRecords.newest(of: customer.account, in: connection) else {
        throw OrderError.accountRemoved
      }
      let newest = SyncCursor(change: change, country: country, epoch: try SyncEpoch.current(in: connection))
      // A cursor ahead of the newest change is from before a backup was restored, even if the epoch was not renewed.
      guard let cursor, cursor.epoch == newest.epoch, cursor.change <= newest.change else {
        let needed = try records.orders(.needed, of: customer, in: connection)
        let owned = Set(try Self.owned(needed, of: customer, in: connection).map(\.id))
        // The device does not need what was finished, not revoked, and is not owned.
        let told = needed.filter { order in
          order.state.stage == .processing || !order.state.finished || order.state.revocation != nil
            || owned.contains(order.id)
        }
        let finished = try records.finished(among: told, by: caller, goesOn: false, in: connection)
        return Findings(cursor: newest, orders: told, finishedHere: finished, goesOn: false, ahead: ahead)
      }
      let changed = try records.orders(.changed(since: cursor.change), of: customer, in: connection)
      let finished = try records.finished(among: changed, by: caller, goesOn: true, in: connection)
      return Findings(cursor: newest, orders: changed, finishedHere: finished, goesOn: true, ahead: ahead)
    }
  }
}
