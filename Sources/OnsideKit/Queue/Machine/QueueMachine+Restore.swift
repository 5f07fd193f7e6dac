import Foundation
import OnsideAPI
import OnsideCommerce

/// Restoring what the account owns.
extension QueueMachine {
  mutating func restore(_ call: CallID) -> [QueueEffect] {
    if account != nil { return beginRestore(call) }
    preflights[call] = .restore
    return [.signIn(call)]
  }

  /// The pre-flight is over. A restore under way is joined.
  mutating func beginRestore(_ call: CallID) -> [QueueEffect] {
    let accepted = QueueEffect.tell(.completed(call, .accepted))
    guard restoring.request() else { return [accepted] }
    return [accepted] + warnIfUnobserved() + startRestore()
  }

  /// Starts the restore that is wanted, once no finish is on its way to the disk: a transaction that is being finished
  /// cannot be given again (RST-3).
  mutating func startRestore() -> [QueueEffect] {
    guard account != nil, hasObserver, isLoaded, unwritten.isEmpty, let round = restoring.start() else { return [] }
    return [.fetchRestorable(round: round)]
  }

  mutating func restored(round: Int, _ orders: [OrderMessage]) -> [QueueEffect] {
    guard let account, restoring.isCurrent(round) else { return [] }
    var news = News()
    for order in orders.latestOfEach where order.state == .paid && order.revokedAt == nil {
      takeRestored(order, of: account, into: &news)
    }
    return conclude(news)
  }

  /// A purchase that is unfinished is given again as it is: it has its final state already.
  private mutating func takeRestored(_ order: OrderMessage, of account: SignedIn, into news: inout News) {
    var entry = QueueEntry(order, account: account.accountID, state: .restored, reason: .restored)
    // The app is finishing it right now, so it has it; it comes with the next restore.
    if unwritten.contains(entry.id) { return }
    guard let known = book[entry.id] else { return news.updated.append(entry) }
    // The answer is from before the refund.
    if known.isRevoked { return }
    switch known.state {
    case .purchasing where !known.isFinished:
      news.effects += drive(known.id, with: .synced(order))
    case .failed where !known.isFinished:
      if let failed = book.change(known.id, { $0.isPaidAfterAll = true }) {
        news.effects.append(.disk(.write([failed])))
      }
    case .purchased where !known.isFinished:
      entry = known
      entry.reason = .redelivered
      news.updated.append(entry)
    default:
      // A finish that the store has not heard of is still owed to it.
      entry.owesFinish = known.owesFinish
      news.updated.append(entry)
    }
  }

  mutating func restoreEnded(round: Int, _ error: StoreError?) -> [QueueEffect] {
    guard restoring.isCurrent(round) else { return [] }
    restoring.end()
    guard let error else { return [.tell(.restoreFinished)] + startRestore() }
    let ended: [QueueEffect] = error == .notSignedIn ? [.sessionEnded] : []
    return [.tell(.restoreFailed(OnsideTransactionsRestoreError(error)))] + ended + startRestore()
  }
}

extension OnsideTransactionsRestoreError {
  init(_ error: StoreError) {
    switch error {
    case .connection, .notTheStore: self = .connectionError
    case .appNotRegistered: self = .appNotRegistered
    case .serviceUnavailable: self = .serviceUnavailable
    case .cancelled, .notSignedIn: self = .cancelled
    case .notFound, .refused, .storefrontChanged, .presentationFailed, .internalError: self = .internalError
    }
  }
}
