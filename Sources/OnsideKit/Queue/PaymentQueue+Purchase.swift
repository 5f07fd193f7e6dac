import Foundation
import OnsideAPI

/// Calls that wait for the outcome of a payment.
extension PaymentQueue {
  /// A call that waits.
  struct Buyer {
    let outcome: AsyncStream<Outcome>.Continuation
    /// Its transaction, once that is on disk.
    var transaction: UUID?
  }

  enum Outcome: Sendable {
    case ended(OnsidePurchaseResult)
    case failed(OnsidePaymentTransaction)
    case refused(any Error)
  }

  /// Adds a payment and returns its outcome. The payment goes on when the task is cancelled, or the queue is closed.
  func purchase(_ payment: OnsidePayment) async throws -> OnsidePurchaseResult {
    // A stream, since its reader ends when its task is cancelled; a continuation would not.
    let (outcomes, outcome) = AsyncStream.makeStream(of: Outcome.self)
    let number = newID()
    buyers[number] = Buyer(outcome: outcome)
    defer { buyers[number] = nil }
    if isClosed { outcome.finish() }
    add(payment, reporting: { [weak self] in self?.added($0, for: number) })
    // What is known when the queue is closed is heard at the next launch.
    for await outcome in outcomes where !isClosed {
      switch outcome {
      case .ended(let result): return result
      case .refused(let error): throw error
      case .failed(let transaction):
        finishTransaction(transaction)
        if let failure = transaction.failure { throw failure }
        return .cancelled
      }
    }
    throw CancellationError()
  }

  private func added(_ result: QueueCallResult, for number: UUID) {
    if case .added(let transaction) = result { buyers[number]?.transaction = transaction }
    if let error = result.error { buyers[number]?.outcome.yield(.refused(error)) }
    // The payment that it joins may have an outcome already.
    recordOutcomes()
  }

  /// Gives waiting calls their outcomes; the first one of each counts. The calls return in a later turn of the main
  /// actor, when the observers have been notified.
  func recordOutcomes() {
    for buyer in buyers.values {
      guard let transaction = buyer.transaction else { continue }
      switch machine.outlook(of: transaction) {
      case .open: break
      case .pending: buyer.outcome.yield(.ended(.pending))
      case .purchased(let transaction): buyer.outcome.yield(.ended(.purchased(transaction)))
      case .gone: buyer.outcome.yield(.ended(.cancelled))
      case .unordered(let failure): buyer.outcome.yield(.refused(failure))
      case .failed(let transaction): buyer.outcome.yield(.failed(transaction))
      }
    }
  }

  /// Ends every wait: the queue is closed.
  func dismissBuyers() {
    for buyer in buyers.values { buyer.outcome.finish() }
  }
}
