import Foundation

/// How a payment stands for a caller that waits for its outcome.
enum PaymentOutlook: Hashable, Sendable {
  /// The queue or the user is working on it.
  case open
  /// It may take long, or for ever, until its outcome is known.
  case pending
  case purchased(OnsidePaymentTransaction)
  case failed(OnsidePaymentTransaction)
  /// The order could not be made, and the store cannot be asked whether it was: no page was shown.
  case unordered(OnsideFailure)
  /// It has left the queue without anything to deliver.
  case gone
}

extension QueueMachine {
  func outlook(of id: UUID) -> PaymentOutlook {
    if let purchase = purchases[id] { return purchase.outlook }
    guard let entry = book[id] else {
      // Of an account that has logged out; it goes on at the next login.
      return parked.values.contains { $0[id] != nil } ? .pending : .gone
    }
    switch entry.state {
    // Its failure is on its way to the disk.
    case .purchasing: return .open
    case .purchased, .restored: return entry.isRevoked ? .gone : .purchased(snapshot(entry))
    case .failed: return .failed(snapshot(entry))
    }
  }
}

extension PurchaseMachine {
  fileprivate var outlook: PaymentOutlook {
    switch phase {
    case .processing, .left: return .pending
    case .checking, .cancelling, .claiming:
      if let orderFailure, attempts > 0 { return .unordered(OnsideFailure(order: orderFailure)) }
      return attempts < Self.orderAttempts ? .open : .pending
    case .waiting, .asking, .ordering, .presenting, .settled: return .open
    }
  }
}
