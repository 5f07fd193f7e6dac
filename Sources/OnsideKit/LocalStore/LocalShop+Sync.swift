import Foundation
import OnsideAPI
import OnsideCommerce

/// What an account is told: what it owns, and what has changed.
extension LocalShop {
  func restorable(by account: AccountID, at now: Date) throws(StoreError) -> [OrderMessage] {
    try check(account)
    let subscribed = book.subscriptions.filter { $0.owner == account && $0.machine.isEntitled(at: now) }
    let current = Set(subscribed.compactMap { $0.machine.period.flatMap { [orders = $0.orders] in orders[$0.number] } })
    return messages(of: account) { order in
      OrderState(order).isEntitled && order.duplicateOf == nil
        && (order.product.kind == .nonConsumable || current.contains(order.id))
    }
  }

  func sync(
    _ account: AccountID, on device: UUID, since cursor: String?, at now: Date
  ) throws(StoreError) -> SyncMessage {
    try check(account)
    let orders: [OrderMessage]
    let start = position(of: cursor)
    if let start {
      let changed = Set(book.changes[start...].filter { $0.owner == account }.compactMap(\.order))
      orders = messages(of: account) { changed.contains($0.id) }
    } else {
      let owned = Set(try restorable(by: account, at: now).map(\.id))
      orders = messages(of: account) { order in
        order.state == .processing || owned.contains(order.id)
          || (order.state == .paid && (!order.finished || order.revokedAt != nil))
      }
    }
    return SyncMessage(
      cursor: "\(book.id)/\(book.changes.count)", country: storefront,
      orders: orders.map { finishing($0, on: device) }, startsOver: start == nil)
  }

  private func finishing(_ order: OrderMessage, on device: UUID) -> OrderMessage {
    guard order.revokedAt != nil, book.orders[order.id]?.finishedOn?.contains(device) == true else { return order }
    var order = order
    order.finishedHere = true
    return order
  }

  /// Whether a sync has changes to report.
  func hasNews(for account: AccountID, since cursor: String?) -> Bool {
    guard let start = position(of: cursor) else { return true }
    return book.changes[start...].contains { $0.owner == account }
  }

  private func position(of cursor: String?) -> Int? {
    let parts = cursor?.split(separator: "/") ?? []
    guard parts.count == 2, parts[0] == book.id.uuidString, let position = Int(parts[1]),
      book.changes.indices.contains(position) || position == book.changes.count
    else { return nil }
    return position
  }

  func messages(of account: AccountID, where isWanted: (OrderMessage) -> Bool) -> [OrderMessage] {
    orders { $0.owner == account && isWanted($0.message) }.map(\.message)
  }
}
