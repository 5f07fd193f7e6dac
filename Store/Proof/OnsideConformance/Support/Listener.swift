import Foundation
import OnsideKit
import Testing

/// The app's side of the SDK: the README's observer, with a record of every call that a test can wait for.
@MainActor
final class Listener: OnsidePaymentTransactionObserver, OnsidePaymentQueueDelegate, OnsideDelegate {
  enum Heard: Hashable {
    case updated([OnsidePaymentTransaction])
    case removed([OnsidePaymentTransaction])
    case revoked([OnsidePaymentTransaction])
    case storefront(String?)
    case restoreFinished
    case restoreFailed(OnsideTransactionsRestoreError)
    case gate(from: String, to: String)
    case completed(String)

    var updated: [OnsidePaymentTransaction] { if case .updated(let transactions) = self { transactions } else { [] } }
    var removed: [OnsidePaymentTransaction] { if case .removed(let transactions) = self { transactions } else { [] } }
    var revoked: [OnsidePaymentTransaction] { if case .revoked(let transactions) = self { transactions } else { [] } }
  }

  private(set) var heard: [Heard] = []
  /// The app's answer to the storefront gate.
  var gate: @MainActor (OnsidePaymentTransaction, OnsideStorefront) async -> Bool = { _, _ in true }
  /// The app's answer after a login on demand.
  var afterLogin: @MainActor () async -> Bool = { true }
  /// The app's idea of the user's country.
  var hint: String?
  var forcesLocalMethods = false
  private(set) var hintsAsked = 0
  /// The README's observer, which finishes failed transactions inside the callback.
  private let shop: ReadmeSample.Shop
  /// The file in which the README's observer saves coins and delivered purchases.
  private let file = FileManager.default.temporaryDirectory.appending(path: "listener-\(UUID().uuidString).json")
  /// Whether the README's observer gets paid transactions, too, and finishes them; a case that holds a purchase
  /// unfinished, as an app does that is killed before it has delivered, finishes it by itself.
  private let finishesPurchases: Bool
  /// What the app does when it hears something.
  var react: (@MainActor (any OnsidePaymentQueue, Heard) -> Void)?
  private var waiting:
    [Int: (condition: @MainActor (Listener) -> Bool, continuation: CheckedContinuation<Void, Never>)] =
      [:]
  private var waits = 0

  init(finishesPurchases: Bool = false) {
    self.finishesPurchases = finishesPurchases
    do { shop = try ReadmeSample.Shop(file: file) } catch { preconditionFailure("a new shop reads no file: \(error)") }
  }

  deinit { try? FileManager.default.removeItem(at: file) }

  var updates: [OnsidePaymentTransaction] { heard.flatMap(\.updated) }
  var removals: [OnsidePaymentTransaction] { heard.flatMap(\.removed) }
  var revocations: [OnsidePaymentTransaction] { heard.flatMap(\.revoked) }
  var storefronts: [String?] {
    heard.compactMap { if case .storefront(let country) = $0 { .some(country) } else { nil } }
  }
  var completions: [String] { heard.compactMap { if case .completed(let what) = $0 { what } else { nil } } }
  var gates: [Heard] { heard.filter { if case .gate = $0 { true } else { false } } }

  func states(of id: UUID) -> [OnsidePaymentTransactionState] {
    updates.filter { $0.id == id }.map(\.transactionState)
  }

  /// Returns when the condition holds, which is looked at after everything heard, or when the test's time is up.
  func until(
    _ location: SourceLocation = #_sourceLocation, _ condition: @escaping @MainActor (Listener) -> Bool
  ) async throws {
    if condition(self) { return }
    waits += 1
    let number = waits
    await withTaskCancellationHandler {
      await withCheckedContinuation { waiting[number] = (condition, $0) }
    } onCancel: {
      Task { @MainActor in self.waiting.removeValue(forKey: number)?.continuation.resume() }
    }
    let heard = heard.map { "\($0)".prefix(400) }.joined(separator: "\n")
    try #require(condition(self), "was still waited for; heard: \(heard)", sourceLocation: location)
  }

  /// The first snapshot in a state, of a product if one is named.
  func first(
    _ state: OnsidePaymentTransactionState, of product: String? = nil,
    sourceLocation location: SourceLocation = #_sourceLocation
  ) async throws -> OnsidePaymentTransaction {
    let matches: @MainActor (Listener) -> OnsidePaymentTransaction? = { listener in
      listener.updates.first {
        $0.transactionState == state && (product == nil || $0.payment.product.productIdentifier == product)
      }
    }
    try await until(location) { matches($0) != nil }
    return try #require(matches(self), sourceLocation: location)
  }

  func removal(of transaction: OnsidePaymentTransaction, _ location: SourceLocation = #_sourceLocation) async throws {
    try await until(location) { $0.removals.contains { $0.isSame(as: transaction) } }
  }

  func forget() { heard = [] }

  func hear(_ news: Heard, on queue: (any OnsidePaymentQueue)? = nil) {
    heard.append(news)
    if let queue { react?(queue, news) }
    for (number, waiter) in waiting where waiter.condition(self) {
      waiting[number] = nil
      waiter.continuation.resume()
    }
  }
}

extension Listener {
  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, updatedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    hear(.updated(transactions), on: queue)
    let handled = transactions.filter { finishesPurchases || !$0.transactionState.isPaid }
    shop.onsidePaymentQueue(queue, updatedTransactions: handled)
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, removedTransactions transactions: [OnsidePaymentTransaction]
  ) { hear(.removed(transactions), on: queue) }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, revokedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    hear(.revoked(transactions), on: queue)
    shop.onsidePaymentQueue(queue, revokedTransactions: transactions)
  }

  func onsidePaymentQueueRestoreCompletedTransactionsFinished(_ queue: any OnsidePaymentQueue) {
    hear(.restoreFinished, on: queue)
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, restoreCompletedTransactionsFailedWithError error: OnsideTransactionsRestoreError
  ) { hear(.restoreFailed(error), on: queue) }

  func onsidePaymentQueueDidChangeStorefront(_ queue: any OnsidePaymentQueue) {
    hear(.storefront(queue.storefront?.countryCode), on: queue)
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinue transaction: OnsidePaymentTransaction,
    in storefront: OnsideStorefront
  ) async -> Bool {
    hear(.gate(from: transaction.storefront.countryCode, to: storefront.countryCode))
    return await gate(transaction, storefront)
  }

  func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, shouldContinueTransactionAfterLogin transaction: OnsidePaymentTransaction
  ) async -> Bool { await afterLogin() }

  func onsideShouldForceLocalLoginMethods() -> Bool { forcesLocalMethods }

  func onsideDefaultCountryCodeAssumption() -> String? {
    hintsAsked += 1
    return hint
  }
}

extension OnsidePaymentTransactionState {
  fileprivate var isPaid: Bool { self == .purchased || self == .restored }
}
