import StoreBase

/// Tells providers that saved methods were removed, or accounts.
struct MethodRemovals: Sendable {
  /// The providers that keep methods.
  private let keepers: Set<String>
  private let forget: [@Sendable (_ account: String, _ transaction: StoreTransaction) throws -> Void]
  private let environment: StoreEnvironment
  private let outbox = OutboxRecords()

  init(providers: PaymentProviders, environment: StoreEnvironment) {
    keepers = Set(providers.all.filter(\.traits.keepsMethods).map(\.name))
    forget = providers.all.map(\.traits.forget)
    self.environment = environment
  }

  /// Writes down what the providers are to forget of an account that is being removed.
  func accountRemoved(_ account: String, in transaction: StoreTransaction) throws {
    for forget in forget { try forget(account, transaction) }
  }

  /// Writes an outbox row that removes a method, when its provider keeps methods.
  ///
  /// - Parameter reference: the provider's id of the method.
  func request(
    _ reference: String, at provider: String, of account: String, in transaction: StoreTransaction
  ) throws {
    if keepers.contains(provider) {
      let request = MethodRemovalRequest(
        reference: reference, account: account, provider: provider, environment: environment)
      try outbox.add(
        PaymentOutboxKind.removeMethod, payload: try OutboxPayload.text(request), due: transaction.now,
        in: transaction)
    }
  }
}
