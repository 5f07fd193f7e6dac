import Foundation
import OnsideAPI
import OnsideCommerce

/// The sync: purchases made elsewhere, renewals, outcomes, finishes on other devices, refunds, changes of region.
extension QueueMachine {
  mutating func startSync() -> [QueueEffect] {
    guard account != nil, hasObserver, isLoaded, let round = sync.start() else { return [] }
    return [.sync(round: round, cursor: book.cursor)]
  }

  mutating func syncAgain(round: Int) -> [QueueEffect] {
    guard sync.isCurrent(round) else { return [] }
    sync.end()
    return startSync()
  }

  /// The store can be reached again: a sync that pauses after failures need not wait longer.
  mutating func wakeSync() -> [QueueEffect] {
    guard sync.wake() else { return [] }
    return [.stopSync] + startSync()
  }

  mutating func syncEnded(round: Int, _ result: Result<SyncEnd, StoreError>) -> [QueueEffect] {
    guard let account, sync.isCurrent(round) else { return [] }
    switch result {
    case .failure(let error):
      let ended: [QueueEffect] = error == .notSignedIn ? [.sessionEnded] : []
      return ended + [.pause(.long, attempt: sync.fail(), then: .syncAgain(round: round))]
    case .success(let end):
      sync.succeed()
      return conclude(end, of: account, round: round)
    }
  }

  private mutating func conclude(_ end: SyncEnd, of account: SignedIn, round: Int) -> [QueueEffect] {
    var effects: [QueueEffect] = []
    if end.cursor != book.cursor { effects.append(.disk(.saveCursor(account.accountID, end.cursor))) }
    book.cursor = end.cursor
    if end.country != account.country { effects.append(.regionLearned(end.country, account)) }
    if end.startedOver { effects += askAboutTheSilent() }
    if end.isEmpty { return effects + [.pause(.breath, attempt: 0, then: .syncAgain(round: round))] }
    sync.end()
    return effects + startSync()
  }

  /// A sync that starts over tells of what is paid or on its way, and not of what has ended: cancelled, or finished on
  /// another device. Payments that wait for the outcome would wait for ever, so the store is asked about each.
  private mutating func askAboutTheSilent() -> [QueueEffect] {
    book.purchasing.flatMap { drive($0, with: .syncStartedOver) }
  }

  mutating func synced(round: Int, _ orders: [OrderMessage]) -> [QueueEffect] {
    guard let account, sync.isCurrent(round) else { return [] }
    var news = News()
    for order in orders.latestOfEach { take(order, of: account, into: &news) }
    return conclude(news) + startPayment() + startFinish()
  }

  /// What a batch of orders changes, so that observers hear of it in one call each.
  struct News {
    var updated: [QueueEntry] = []
    var removed: [QueueEntry] = []
    var revoked: [QueueEntry] = []
    var effects: [QueueEffect] = []
  }

  mutating func conclude(_ news: News) -> [QueueEffect] {
    var effects = news.effects
    if !news.removed.isEmpty { effects.append(.tell(.removed(news.removed.map { snapshot($0) }))) }
    effects += deliver(news.updated)
    return effects + revoke(news.revoked)
  }

  private mutating func take(_ order: OrderMessage, of account: SignedIn, into news: inout News) {
    guard let entry = book[order.id.uuid] else { return takeUnknown(order, of: account, into: &news) }
    if entry.isRevoked { return }
    if entry.isUnclaimed, entry.state == .purchasing, !order.isToBeDelivered {
      news.effects += forgetUnclaimed(entry.id)
      takeUnknown(order, of: account, into: &news)
    } else if entry.isFinished {
      if order.isTakenBack { news.revoked.append(entry.revoked(by: order)) }
    } else if failing[entry.id] != nil {
      failing[entry.id]?.isPaidAfterAll = order.isToBeDelivered
    } else if order.isToBeDelivered, entry.isUnclaimed {
      news.effects += drive(entry.id, with: .synced(order))
    } else if entry.state == .purchasing && !order.finished {
      news.effects += drive(entry.id, with: .synced(order))
    } else if entry.state == .failed {
      guard order.isToBeDelivered else { return }
      if let failed = book.change(entry.id, { $0.isPaidAfterAll = true }) {
        news.effects.append(.disk(.write([failed])))
      }
    } else {
      takeKnown(order, as: entry, into: &news)
    }
  }

  /// An order that the app holds as paid: it may have been finished on another device, or taken back.
  private mutating func takeKnown(_ order: OrderMessage, as entry: QueueEntry, into news: inout News) {
    guard order.isTakenBack || (order.finished && entry.state != .restored) else { return }
    if let purchase = purchases[entry.id], purchase.phase == .presenting {
      news.effects.append(.payment(entry.id, step: purchase.step, .closeScreen))
    }
    endPurchase(entry.id)
    if order.isTakenBack { return news.revoked.append(entry.revoked(by: order)) }
    if entry.isVisible { news.removed.append(entry.finished(by: order)) }
    news.effects += takeFinish(of: entry, by: order)
  }

  /// Removes a purchase that another device has finished. If the app has delivered it here, too, this device sends its
  /// own finish, so that the store knows it.
  mutating func takeFinish(of entry: QueueEntry, by order: OrderMessage) -> [QueueEffect] {
    guard entry.isDelivered else {
      remove(entry.id)
      return [.disk(.erase([entry.id]))]
    }
    var finished = entry.finished(by: order)
    finished.owesFinish = true
    book.put(finished)
    book.owed.append(entry.id)
    return [.disk(.write([finished]))]
  }

  private mutating func takeUnknown(_ order: OrderMessage, of account: SignedIn, into news: inout News) {
    guard order.state == .paid else { return }
    let reason: OnsideDeliveryReason = order.reason == .renewal ? .renewed : .elsewhere
    var entry = QueueEntry(order, account: account.accountID, state: .purchased, reason: reason)
    if order.isTakenBack {
      // A refund belongs to the order that was charged, and is delivered on devices that have finished it or a
      // duplicate of it. The answer may be older than the finish.
      let purchase = order.id.description
      let isFinishedHere = order.finishedHere == true || sync.hasFinished(purchase: purchase)
      guard !entry.isDuplicate, isFinishedHere, book.revoked(of: purchase).isEmpty else { return }
      entry.isFinished = true
      news.revoked.append(entry.revoked(by: order))
    } else if order.finished || sync.hasLeft(entry.id) {
      return
    } else if unwritten.contains(entry.id) {
      unwritten.markPaid(entry.id)
    } else if let holder = order.delivery?.holder, holder != .here {
      news.effects += awaitClaim(entry, for: order)
    } else {
      news.updated.append(entry)
    }
  }
}

extension OrderMessage {
  /// Whether it waits for an app to deliver it.
  fileprivate var isToBeDelivered: Bool { state == .paid && !finished && revokedAt == nil }
}

extension [OrderMessage] {
  /// Each order once, as it is told last.
  var latestOfEach: [OrderMessage] {
    var seen: Set<OrderID> = []
    return reversed().filter { seen.insert($0.id).inserted }.reversed()
  }
}
