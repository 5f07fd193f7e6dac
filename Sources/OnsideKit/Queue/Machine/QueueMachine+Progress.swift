import Foundation

/// The state of a payment for a caller that waits for its outcome.
enum PaymentProgress: Hashable, Sendable {
  /// The queue or the user is working on it.
  case open
  /// Its outcome may take long, or never come.
  case pending(OnsidePaymentTransaction)
  case purchased(OnsidePaymentTransaction)
  case failed(OnsidePaymentTransaction)
  /// The order could not be made, and the store cannot be asked whether it was: no page was shown.
  case unordered(OnsideFailure)
  /// It has left the queue without anything to deliver.
  case gone
}

extension QueueMachine {
  func progress(of id: UUID) -> PaymentProgress {
    guard let entry = book[id] else {
      // A payment of an account that has logged out goes on at its next login.
      return parked.values.lazy.compactMap { $0[id] }.first.map { .pending(snapshot($0)) } ?? .gone
    }
    if let purchase = purchases[id] { return progress(of: purchase, snapshot(entry)) }
    switch entry.state {
    // Its failure is on its way to the disk.
    case .purchasing: return .open
    case .purchased, .restored: return entry.isRevoked ? .gone : .purchased(snapshot(entry))
    case .failed: return .failed(snapshot(entry))
    }
  }

  private func progress(of purchase: PurchaseMachine, _ transaction: OnsidePaymentTransaction) -> PaymentProgress {
    switch purchase.phase {
    case .processing, .left: return .pending(transaction)
    case .checking, .cancelling, .claiming:
      if let failure = purchase.unordered { return .unordered(failure) }
      return purchase.attempts < PurchaseMachine.orderAttempts ? .open : .pending(transaction)
    case .waiting, .asking, .ordering, .presenting, .settled: return .open
    }
  }
}

extension PurchaseMachine {
  /// The failure of an order about which the store cannot be asked; nil if the order was made or the store answers.
  fileprivate var unordered: OnsideFailure? {
    attempts > 0 ? orderFailure.map(OnsideFailure.init(order:)) : nil
  }
}
