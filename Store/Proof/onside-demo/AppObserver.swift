import Foundation
import OnsideKit

/// The app's observer and delegates of the SDK, which record every call in order.
@MainActor
final class AppObserver: OnsidePaymentTransactionObserver, OnsidePaymentQueueDelegate, OnsideDelegate {
  enum Heard {
    case updated(OnsidePaymentTransaction)
    case removed(OnsidePaymentTransaction)
    case revoked(OnsidePaymentTransaction)
    case restoreFinished
    case restoreFailed(OnsideTransactionsRestoreError)
    case storefront(String?)
    case gate(from: String, to: String)
  }

  /// The region to assume before a user is signed in.
  let assumedRegion: String
  private(set) var heard: [Heard] = []
  private var waiting: [(matches: (Heard) -> Bool, continuation: CheckedContinuation<Heard, Never>)] = []

  init(assumedRegion: String) { self.assumedRegion = assumedRegion }

  /// The first recorded call that matches; waits for one if there is none yet.
  func next(_ what: String, within seconds: Double = 30, where matches: @escaping (Heard) -> Bool) async throws -> Heard
  {
    if let match = heard.first(where: matches) { return match }
    let deadline = Task { @MainActor [weak self] in
      try await Task.sleep(for: .seconds(seconds))
      let all = self?.heard.map { "\($0)".prefix(120) }.joined(separator: "\n  ") ?? ""
      FileHandle.standardError.write(Data("waited \(seconds) s in vain for \(what); heard:\n  \(all)\n".utf8))
      exit(1)
    }
    defer { deadline.cancel() }
    return await withCheckedContinuation { waiting.append((matches, $0)) }
  }

  private func hear(_ event: Heard) {
    heard.append(event)
    let ready = waiting.filter { $0.matches(event) }
    waiting.removeAll { $0.matches(event) }
    for entry in ready { entry.continuation.resume(returning: event) }
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, updatedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    transactions.forEach { hear(.updated($0)) }
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, removedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    transactions.forEach { hear(.removed($0)) }
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, revokedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    transactions.forEach { hear(.revoked($0)) }
  }

  func onsidePaymentQueueRestoreCompletedTransactionsFinished(_ queue: any OnsidePaymentQueue) {
    hear(.restoreFinished)
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue,
    restoreCompletedTransactionsFailedWithError error: OnsideTransactionsRestoreError
  ) {
    hear(.restoreFailed(error))
  }

  func onsidePaymentQueueDidChangeStorefront(_ queue: any OnsidePaymentQueue) {
    hear(.storefront(queue.storefront?.countryCode))
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinue transaction: OnsidePaymentTransaction,
    in storefront: OnsideStorefront
  ) -> Bool {
    hear(.gate(from: transaction.storefront.countryCode, to: storefront.countryCode))
    return true
  }

  func onsideDefaultCountryCodeAssumption() -> String? { assumedRegion }
}

extension AppObserver {
  /// The next snapshot of a product's transaction in a state.
  func transaction(
    of product: String, _ state: OnsidePaymentTransactionState
  ) async throws -> OnsidePaymentTransaction {
    let heard = try await next("\(product) \(state)") {
      $0.update?.payment.product.productIdentifier == product && $0.update?.transactionState == state
    }
    guard let transaction = heard.update else { throw DemoFailure("lost a transaction of \(product)") }
    return transaction
  }

  /// Waits until the store has revoked a purchase.
  func revocation(of transaction: OnsidePaymentTransaction) async throws {
    _ = try await next("the refund of \(transaction.payment.product.productIdentifier)") {
      if case .revoked(let revoked) = $0 {
        revoked.isSame(as: transaction) && revoked.revocationDate != nil
      } else {
        false
      }
    }
  }

  /// Waits until a transaction has left the queue.
  func removal(of transaction: OnsidePaymentTransaction) async throws {
    _ = try await next("the removal of \(transaction.payment.product.productIdentifier)") {
      if case .removed(let removed) = $0 { removed.isSame(as: transaction) } else { false }
    }
  }
}

extension AppObserver.Heard {
  var isGate: Bool { if case .gate = self { true } else { false } }

  /// The snapshot, if this is an update.
  var update: OnsidePaymentTransaction? { if case .updated(let transaction) = self { transaction } else { nil } }
}
