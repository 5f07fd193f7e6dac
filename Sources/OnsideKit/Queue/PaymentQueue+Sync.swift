import Foundation
import OnsideAPI
import OnsideCommerce

/// The long poll, and restores. Orders come a few in each turn of the main actor.
extension PaymentQueue {
  /// How long the store may hold a poll back, in seconds.
  static let pollSeconds = 25
  /// How many orders are taken in at once.
  static let orderBatch = 100

  func sync(round: Int, cursor: String?) {
    tasks.run(.sync) { [weak self, store] in
      let asked = self?.dependencies.now()
      let answer = await attempt { () throws(StoreError) in
        try await store.sync(since: cursor, wait: cursor == nil ? 0 : Self.pollSeconds)
      }
      let result = self?.timely(answer, asked: asked) ?? answer
      // Before the observers are notified. Also without orders: a subscription may have ended.
      if let moved = result.success?.cursor, moved != cursor { self?.onStoreChange?() }
      await self?.takeInBatches(result.success?.orders ?? []) { .synced(round: round, $0) }
      let end = result.map { SyncEnd($0, since: cursor) }
      self?.send(.syncEnded(round: round, end))
    }
  }

  /// A page on which the user can buy has closed: a sync that pauses after failures asks the store now.
  func storePageClosed() { send(.storePageClosed) }

  func fetchRestorable(round: Int) {
    tasks.run(.calls) { [weak self, store] in
      let result = await attempt { () throws(StoreError) in try await store.restorable() }
      await self?.takeInBatches(result.success ?? []) { .restored(round: round, $0) }
      self?.send(.restoreEnded(round: round, result.failure))
    }
  }

  private func takeInBatches(_ orders: [OrderMessage], event: ([OrderMessage]) -> QueueEvent) async {
    for start in stride(from: 0, to: orders.count, by: Self.orderBatch) {
      if start > 0 { await Task.yield() }
      send(event(Array(orders[start..<min(start + Self.orderBatch, orders.count)])))
    }
  }
}

extension SyncEnd {
  fileprivate init(_ message: SyncMessage, since cursor: String?) {
    self.init(
      cursor: message.cursor, country: message.country,
      isEmpty: message.orders.isEmpty && message.cursor == cursor, startedOver: message.startsOver || cursor == nil)
  }
}
