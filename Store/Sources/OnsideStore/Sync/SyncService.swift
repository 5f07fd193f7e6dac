import Foundation
import OnsideCommerce

/// Tells an account's device what has changed, and waits for a change when nothing has.
struct SyncService: Sendable {
  /// What one round has found.
  struct Findings: Sendable {
    let cursor: SyncCursor
    let orders: [Order]
    /// False when the device starts over.
    let goesOn: Bool
  }

  let database: any Database
  let records: OrderRecords
  let changes: ChangeHub
  let leases: DeliveryLeases

  /// What changed since a cursor; waits until there is something, or the time is up. Without a cursor, or with one from
  /// before a backup was restored, at once: everything that the device must know. What the device delivers is its own
  /// for as long as it syncs.
  func sync(
    account: String, app: String, since cursor: SyncCursor?, wait: Duration, device: DeliveryDevice, now: Date
  ) async throws -> Findings {
    let subscription = changes.subscribe(account: account)
    defer { changes.unsubscribe(subscription) }
    try await leases.renew(account: account, app: app, device)
    let findings = try await read(account, app, cursor, now)
    guard findings.goesOn, findings.orders.isEmpty, findings.cursor.country == cursor?.country, wait > .zero else {
      return findings
    }
    await changes.wait(subscription, upTo: wait)
    try await leases.renew(account: account, app: app, device)
    return try await read(account, app, cursor, now)
  }

  /// What a restore brings back: what is owned, the newest order of each chain.
  func restorable(account: String, app: String, now: Date) async throws -> [Order] {
    let paid = try await database.read { [records] connection in
      _ = try AccountRegion.country(of: account, connection)
      return try records.orders(
        account: account, app: app, where: "o.state = 'paid' AND o.duplicate_of IS NULL AND o.revoked_at IS NULL",
        [], connection)
    }
    return Self.owned(paid, at: now).sorted { ($0.createdAt, $0.id.lowercase) < ($1.createdAt, $1.id.lowercase) }
  }

  /// Of some orders those that give their buyer something that lasts, the newest of each chain.
  private static func owned(_ orders: [Order], at now: Date) -> [Order] {
    var newest: [UUID: Order] = [:]
    for order in orders where order.duplicateOf == nil && order.isOwned(at: now) {
      let chain = order.originalOrderID ?? order.id
      if let known = newest[chain], (known.paidAt ?? known.createdAt) > (order.paidAt ?? order.createdAt) { continue }
      newest[chain] = order
    }
    return Array(newest.values)
  }

  private func read(
    _ account: String, _ app: String, _ cursor: SyncCursor?, _ now: Date
  ) async throws -> Findings {
    try await database.read { [records] connection in
      let country = try AccountRegion.country(of: account, connection)
      let newest = SyncCursor(
        change: try records.newestChange(connection), country: country, epoch: try SyncEpoch.current(connection))
      // A number of the future is from before a backup was restored, even if nobody has renewed the epoch.
      guard let cursor, cursor.epoch == newest.epoch, cursor.change <= newest.change else {
        let all = try records.orders(
          account: account, app: app, where: "o.state IN ('processing', 'paid')", [], connection)
        let owned = Set(Self.owned(all, at: now).map(\.id))
        // What was delivered and used up is the only thing that a device need not know.
        let told = all.filter { order in
          order.state.stage == .processing || !order.state.finished || order.state.revocation != nil
            || owned.contains(order.id)
        }
        return Findings(cursor: newest, orders: told, goesOn: false)
      }
      let changed = try records.orders(
        account: account, app: app, where: "o.changed > $3", [.integer(cursor.change)], connection)
      return Findings(cursor: newest, orders: changed, goesOn: true)
    }
  }
}
