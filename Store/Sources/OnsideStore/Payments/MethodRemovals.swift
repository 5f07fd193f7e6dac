/// Tells providers that saved methods were removed.
struct MethodRemovals: Sendable {
  /// The providers that keep methods.
  private let keepers: Set<String>
  private let environment: StoreEnvironment
  private let outbox = OutboxRecords()

  init(providers: PaymentProviders, environment: StoreEnvironment) {
    keepers = Set(providers.all.filter(\.traits.keepsMethods).map(\.name))
    self.environment = environment
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
