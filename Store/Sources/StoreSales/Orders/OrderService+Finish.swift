import Foundation
import OnsideCommerce
import StoreAccounts
import StoreBase
import Synchronization

/// Finishing of orders: the app reports that it has delivered a purchase.
extension OrderService {
  /// How long a finish waits for a payment that is under way: a caller that trusts the payment page's redirect may be
  /// faster than the provider's report.
  static let settlementWait: Duration = .seconds(3)
  /// How often a waiting finish looks again: other orders of the account may wake it.
  private static let settlementLooks = 8

  private enum Finish {
    case done
    case alreadyDone
    /// Its payment is under way.
    case processing
  }

  /// Marks an order as finished: the app has delivered it. Idempotent. Throws ``OrderError/notFinal`` when the order is
  /// not paid: after ``settlementWait`` while its payment is under way, at once while it is open or cancelled. Records
  /// the caller's device, to which a revocation is delivered later (QUE-19).
  func finish(_ id: UUID, for caller: OrderCaller) async throws {
    let customer = caller.customer
    if try await finishIfPaid(id, for: caller) != .processing { return }
    guard waitingFinishes.withLock({ $0.insert(customer.account).inserted }) else { throw OrderError.notFinal }
    defer { waitingFinishes.withLock { _ = $0.remove(customer.account) } }
    let end = dependencies.clock.uptime() + Self.settlementWait
    for _ in 0..<Self.settlementLooks {
      let subscription = changes.subscribe(account: customer.account)
      defer { changes.unsubscribe(subscription) }
      // Looked at after the place is taken, so that no change is missed.
      if try await finishIfPaid(id, for: caller) != .processing { return }
      let left = end - dependencies.clock.uptime()
      guard left > .zero else { break }
      await changes.wait(subscription, upTo: left)
      try Task.checkCancellation()
    }
    // The last wake-up may have been the payment's.
    if try await finishIfPaid(id, for: caller) == .processing { throw OrderError.notFinal }
  }

  private func finishIfPaid(_ id: UUID, for caller: OrderCaller) async throws -> Finish {
    let customer = caller.customer
    let finish = try await dependencies.write(for: customer.account) { [records] transaction -> Finish in
      guard var state = try records.state(of: id, for: customer, in: transaction) else {
        throw OrderError.notFound
      }
      guard let outcome = try? state.handle(.finished, at: transaction.now) else {
        guard state.stage == .processing else { throw OrderError.notFinal }
        return .processing
      }
      try records.recordFinish(id, on: caller.device, in: transaction)
      guard outcome == .changed else { return .alreadyDone }
      try records.setFinished(id, of: customer.account, in: transaction)
      checkpoint("finish.beforeCommit")
      return .done
    }
    checkpoint("finish.afterCommit")
    if finish == .done { changes.wake(account: customer.account) }
    return finish
  }
}
