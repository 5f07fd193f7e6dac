import OnsideCommerce
public import OnsideKit

/// Actions of a user in the app, and of the app with the SDK.
extension TestDevice {
  /// Runs some of the app's code on this device, where `Onside` is the device's, and returns when it is done. Short
  /// pauses before retries pass by themselves meanwhile.
  @discardableResult
  public func run<Value: Sendable>(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column,
    _ body: @escaping @MainActor () async throws -> Value
  ) async throws -> Value {
    try await perform(CallSite(fileID, filePath, line, column), body)
  }

  /// Buys a product as an app does: requests it and adds a payment. Returns when the outcome is known, when the payment
  /// waits for an approval or for an issue to be resolved, or when the app has crashed.
  /// - Throws: why the payment was not taken: `OnsidePaymentQueueAddProductError`, or `OnsideProductsRequestError`.
  public func buy(
    _ productIdentifier: String, appAccountToken: String? = nil, fileID: String = #fileID,
    filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async throws {
    let site = CallSite(fileID, filePath, line, column)
    var payment = OnsidePayment(product: try await product(productIdentifier, site))
    payment.appAccountToken = appAccountToken
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

  /// A product as the app sees it.
  public func product(
    _ productIdentifier: String, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) async throws -> OnsideProduct {
    try await product(productIdentifier, CallSite(fileID, filePath, line, column))
  }

  private func product(_ productIdentifier: String, _ site: CallSite) async throws -> OnsideProduct {
    let client = try bind(site) { $0 }
    let response = try await perform(site) { try await client.products(for: [productIdentifier]) }
    guard let product = response.products.first else {
      let sold = world.store.configuration.products.map(\.id).joined(separator: ", ")
      throw site.failure("expected the store to sell \(productIdentifier), but it sells: \(sold)")
    }
    return product
  }

  /// Logs in; the session's person answers.
  /// - Throws: `OnsideLoginError` when the person does not log in.
  public func logIn(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async throws {
    let site = CallSite(fileID, filePath, line, column)
    let client = try bind(site) { $0 }
    try await perform(site) { try await client.login() }
    try await world.settle(site)
  }

  /// Restores purchases; returns when all of them have been delivered.
  public func restore(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async throws {
    let site = CallSite(fileID, filePath, line, column)
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

/// A minimal app: records the transactions that it gets, and finishes them.
@MainActor
public final class SimpleApp: OnsidePaymentTransactionObserver {
  /// The transactions that it got, in order, final states only.
  public private(set) var delivered: [OnsidePaymentTransaction] = []
  /// The revoked purchases that it was notified of.
  public private(set) var revoked: [OnsidePaymentTransaction] = []
  /// Whether it finishes the transactions that it gets.
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
