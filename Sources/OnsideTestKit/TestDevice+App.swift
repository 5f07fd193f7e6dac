import OnsideCommerce
public import OnsideKit

/// What a user does with the app, and the app with the SDK.
extension TestDevice {
  /// Runs some of the app's code on this device, where `Onside` is the device's, and returns when it is done. Meanwhile
  /// short pauses, in which something is tried again, pass by themselves.
  @discardableResult
  public func run<Value: Sendable>(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column,
    _ body: @escaping @MainActor () async throws -> Value
  ) async throws -> Value {
    try await perform(CallSite(fileID, filePath, line, column), body)
  }

  /// Buys a product as an app does: asks for it and adds a payment. Returns when the outcome is known, when the payment
  /// waits for somebody, or when the app has crashed.
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
      "expected the purchase of \(productIdentifier) to end, but it goes on:\n\(self.world.lastStory(productIdentifier))"
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

  /// Logs in, as the person says.
  /// - Throws: `OnsideLoginError` when they do not.
  public func logIn(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async throws {
    let site = CallSite(fileID, filePath, line, column)
    let client = try bind(site) { $0 }
    try await perform(site) { try await client.login() }
    try await world.settle(site)
  }

  /// Restores, and returns when everything has come.
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

/// An app that finishes whatever it is given, and remembers it.
@MainActor
public final class SimpleApp: OnsidePaymentTransactionObserver {
  /// What it was given, in order, final states only.
  public private(set) var delivered: [OnsidePaymentTransaction] = []
  /// The purchases that it was told are taken back.
  public private(set) var revoked: [OnsidePaymentTransaction] = []
  /// Whether it finishes what it is given.
  public var finishes = true

  init(_ queue: any OnsidePaymentQueue) { queue.add(observer: self) }

  /// Remembers, and finishes.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, updatedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    for transaction in transactions where transaction.transactionState != .purchasing {
      delivered.append(transaction)
      if finishes { queue.finishTransaction(transaction) }
    }
  }

  /// Remembers.
  public func onsidePaymentQueue(
    _ queue: any OnsidePaymentQueue, revokedTransactions transactions: [OnsidePaymentTransaction]
  ) {
    revoked += transactions
  }
}
