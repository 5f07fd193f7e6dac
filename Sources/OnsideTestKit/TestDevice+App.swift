import OnsideCommerce
public import OnsideKit

/// Actions of a user in the app, and of the app with the SDK. They need a running app: call ``launch(_:)`` first.
extension TestDevice {
  /// Runs a part of the app's code on this device, where `Onside` is the device's client, and returns its result.
  ///
  /// Short pauses before retries pass by themselves meanwhile. Every task that begins in `body` belongs to the device,
  /// too.
  ///
  /// ```swift
  /// let products = try await phone.run { try await Onside.products(for: ["coins_100"]).products }
  /// ```
  ///
  /// - Parameter body: the code; what it throws is thrown on.
  /// - Throws: also a failure with the latest steps, when the session's ``OnsideTestSession/patience`` is over or the
  ///   app does not run.
  @discardableResult
  public func run<Value: Sendable>(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column,
    _ body: @escaping @MainActor () async throws -> Value
  ) async throws -> Value {
    try await perform(CallSite(fileID, filePath: filePath, line: line, column: column), body)
  }

  /// Buys a product as an app does: loads the product and adds a payment, for which the session's person logs in and
  /// pays.
  ///
  /// It returns when the outcome is known and has reached the app, when the payment waits for an approval or an open
  /// screen, or when the app has crashed. A declined or cancelled payment does not throw: check the transaction.
  ///
  /// - Parameters:
  ///   - productIdentifier: the product.
  ///   - appAccountToken: the app's token for its user; `nil` for none.
  ///   - quantity: how many, of a consumable up to 1000.
  /// - Throws: why the payment was not taken: `OnsidePaymentQueueAddProductError` or `OnsideProductsRequestError`; a
  ///   failure when the store does not sell the product or the app does not run.
  public func buy(
    _ productIdentifier: String, appAccountToken: String? = nil, quantity: Int = 1, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async throws {
    let site = CallSite(fileID, filePath: filePath, line: line, column: column)
    var payment = OnsidePayment(product: try await product(productIdentifier, at: site))
    payment.appAccountToken = appAccountToken
    payment.quantity = quantity
    var answer: Result<Void, OnsidePaymentQueueAddProductError>?
    try bind(site) { $0.defaultPaymentQueue().add(payment) { answer = $0 } }
    try await world.pass(site) {
      !self.isPaying
    } orFail: {
      "expected the purchase of \(productIdentifier) to end, but it goes on:\n"
        + self.world.lastStory(productIdentifier)
    }
    try await world.settle(site)
    try answer?.get()
  }

  /// Loads a product as the app on this device sees it, with the price of the storefront.
  ///
  /// - Throws: `OnsideProductsRequestError`; a failure when the store does not sell the product.
  public func product(
    _ productIdentifier: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) async throws -> OnsideProduct {
    try await product(productIdentifier, at: CallSite(fileID, filePath: filePath, line: line, column: column))
  }

  private func product(_ productIdentifier: String, at site: CallSite) async throws -> OnsideProduct {
    let client = try bind(site) { $0 }
    let response = try await perform(site) { try await client.products(for: [productIdentifier]) }
    guard let product = response.products.first else {
      let sold = world.store.configuration.products.map(\.id).joined(separator: ", ")
      throw site.failure("expected the store to sell \(productIdentifier), but it sells: \(sold)")
    }
    return product
  }

  /// Logs in on this device; the session's person answers the login screen.
  ///
  /// - Throws: `OnsideLoginError` when the person does not log in.
  public func logIn(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async throws {
    let site = CallSite(fileID, filePath: filePath, line: line, column: column)
    let client = try bind(site) { $0 }
    try await perform(site) { try await client.login() }
    try await world.settle(site)
  }

  /// Restores purchases, and returns when all of them have been delivered. A restore that fails after it was accepted
  /// does not throw: the app's observer is told.
  ///
  /// - Throws: `OnsidePaymentQueueRequestRestoreError` when the person does not log in, `OnsideFailure` for another
  ///   failure of the login.
  public func restore(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async throws {
    let site = CallSite(fileID, filePath: filePath, line: line, column: column)
    let queue = try bind(site) { $0.defaultPaymentQueue() }
    try await perform(site) { try await queue.restoreCompletedTransactions() }
    try await world.settle(site)
  }

  private func perform<Value: Sendable>(
    _ site: CallSite, _ body: @escaping @MainActor () async throws -> Value
  ) async throws -> Value {
    var result: Result<Value, any Error>?
    let task = try bind(site) { _ in
      Task { @MainActor in
        do { result = .success(try await body()) } catch { result = .failure(error) }
      }
    }
    defer { task.cancel() }
    try await world.pass(site) {
      result != nil
    } orFail: {
      "expected the app on \(self.name) to be done within \(self.world.patience), but it still waits:\n"
        + self.world.lately
    }
    guard let result else { throw CancellationError() }
    return try result.get()
  }
}

/// A minimal app for tests of the store alone: records the transactions that it gets, and finishes them. Made by
/// ``TestDevice/launch()``.
@MainActor
public final class SimpleApp: OnsidePaymentTransactionObserver {
  /// The transactions that it was given in a final state, in order; one that is delivered again is here again.
  public private(set) var delivered: [OnsidePaymentTransaction] = []
  /// The refunded or revoked purchases that it was told of.
  public private(set) var revoked: [OnsidePaymentTransaction] = []
  /// Whether it finishes the transactions that it gets: `true` unless changed.
  public var finishes = true

  init(_ queue: any OnsidePaymentQueue) { queue.add(observer: self) }

  /// Records final transactions, and finishes them.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, updatedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    for transaction in transactions where transaction.transactionState != .purchasing {
      delivered.append(transaction)
      if finishes { queue.finishTransaction(transaction) }
    }
  }

  /// Records revoked transactions.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, revokedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    revoked += transactions
  }
}
