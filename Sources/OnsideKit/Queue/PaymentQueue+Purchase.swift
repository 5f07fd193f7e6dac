import Foundation
import OnsideAPI

/// Calls that wait for the outcome of a payment.
extension PaymentQueue {
  /// A call that waits.
  struct Buyer {
    let id: UUID
    let outcome: AsyncStream<Outcome>.Continuation
    /// Its transaction, once that is on disk.
    var transaction: UUID?
  }

  enum Outcome: Sendable {
    case ended(OnsidePurchaseResult)
    case failed(OnsidePaymentTransaction)
    case rejected(any Error)
  }

  /// Adds a payment and returns its outcome. The payment goes on when the task is cancelled, or the queue is closed.
  func purchase(_ payment: OnsidePayment) async throws -> OnsidePurchaseResult {
    // A stream, since its reader ends when its task is cancelled; a continuation would not.
    let (outcomes, outcome) = AsyncStream.makeStream(of: Outcome.self)
    let buyer = newID()
    buyers.append(Buyer(id: buyer, outcome: outcome))
    defer { buyers.removeAll { $0.id == buyer } }
    if isClosed { outcome.finish() }
    add(payment, reporting: { [weak self] in self?.added($0, for: buyer) })
    // The next launch delivers an outcome that is known when the queue is closed.
    for await outcome in outcomes where !isClosed {
      switch outcome {
      case .ended(.purchased(let transaction)): return result(of: transaction)
      case .ended(let result): return result
      case .rejected(let error): throw error
      case .failed(let transaction):
        finishTransaction(transaction)
        if let failure = transaction.failure { throw failure }
        return .cancelled
      }
    }
    throw CancellationError()
  }

  /// The result of a purchase when its call returns. Since its outcome was recorded an observer may have finished it,
  /// and the user may have logged out.
  private func result(of purchase: OnsidePaymentTransaction) -> OnsidePurchaseResult {
    if machine.book.unfinished(purchase.id) != nil { return .purchased(purchase) }
    if case .pending = machine.progress(of: purchase.id) { return .pending(purchase) }
    return .purchased(purchase.finished)
  }

  private func added(_ result: QueueCallResult, for buyer: UUID) {
    guard let index = buyers.firstIndex(where: { $0.id == buyer }) else { return }
    if case .added(let transaction) = result { buyers[index].transaction = transaction }
    if let error = result.error {
      buyers[index].outcome.yield(.rejected(error))
      buyers[index].outcome.finish()
    }
    // The payment that it joins may have an outcome already.
    recordOutcomes()
  }

  /// Gives waiting calls their outcomes. The calls return in a later turn of the main actor, when the observers have
  /// been notified.
  func recordOutcomes() {
    for transaction in Set(buyers.compactMap(\.transaction)) {
      switch machine.progress(of: transaction) {
      case .open: break
      case .pending(let transaction): record(.ended(.pending(transaction)), of: transaction.id)
      case .purchased(let transaction): recordPurchase(transaction)
      case .gone: record(.ended(.cancelled), of: transaction)
      case .unordered(let failure): record(.rejected(failure), of: transaction)
      case .failed(let failed): record(.failed(failed), of: transaction)
      }
    }
  }

  /// Gives the purchase to the first call whose task is not cancelled, since one call delivers it (QUE-27). The other
  /// calls get `.pending`.
  private func recordPurchase(_ transaction: OnsidePaymentTransaction) {
    var isGiven = false
    record(of: transaction.id) { outcome in
      let result: OnsidePurchaseResult = isGiven ? .pending(transaction) : .purchased(transaction)
      if case .enqueued = outcome.yield(.ended(result)) { isGiven = true }
    }
  }

  /// Gives calls the purchases that another device of the account has finished: they leave the queue in this turn.
  func recordPurchases(removed transactions: [OnsidePaymentTransaction]) {
    for transaction in transactions where transaction.isFinished && transaction.transactionState == .purchased {
      record(.ended(.purchased(transaction)), of: transaction.id)
    }
  }

  private func record(_ outcome: Outcome, of transaction: UUID) {
    record(of: transaction) { $0.yield(outcome) }
  }

  private func record(of transaction: UUID, _ yield: (AsyncStream<Outcome>.Continuation) -> Void) {
    for buyer in buyers where buyer.transaction == transaction {
      yield(buyer.outcome)
      buyer.outcome.finish()
    }
    buyers.removeAll { $0.transaction == transaction }
  }

  /// Ends every wait: the queue is closed.
  func dismissBuyers() {
    for buyer in buyers { buyer.outcome.finish() }
  }
}
