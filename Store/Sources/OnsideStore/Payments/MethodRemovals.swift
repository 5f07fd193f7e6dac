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

  /// Writes an outbox row for each method that its provider keeps.
  func request(_ methods: [SavedPaymentMethod], of account: String, in transaction: StoreTransaction) throws {
    for method in methods where keepers.contains(method.provider) {
      let request = MethodRemovalRequest(
        reference: method.details.reference, account: account, provider: method.provider, environment: environment)
      try outbox.add(
        PaymentOutboxKind.removeMethod, payload: try OutboxPayload.text(request), due: transaction.now,
        in: transaction)
    }
  }
}
