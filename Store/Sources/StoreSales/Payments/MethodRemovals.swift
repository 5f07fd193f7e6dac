import StoreBase
import StorePayments

/// Requests that providers detach removed methods, and delete the data of removed accounts.
struct MethodRemovals: Sendable {
  /// The names of the providers that store methods.
  private let storingProviders: Set<String>
  private let deleteAccount: [@Sendable (_ account: String, _ transaction: StoreTransaction) throws -> Void]
  private let environment: StoreEnvironment
  private let outbox = OutboxRecords()

  init(providers: PaymentProviders, environment: StoreEnvironment) {
    storingProviders = Set(providers.all.filter(\.traits.keepsMethods).map(\.name))
    deleteAccount = providers.all.map(\.traits.forget)
    self.environment = environment
  }

  /// Inserts the outbox rows that delete the data of a removed account at the providers.
  func accountRemoved(_ account: String, in transaction: StoreTransaction) throws {
    for delete in deleteAccount { try delete(account, transaction) }
  }

  /// Inserts the outbox row that removes a method at its provider, if the provider stores methods.
  ///
  /// - Parameter reference: the provider's id of the method.
  func request(
    _ reference: String, at provider: String, of account: String, in transaction: StoreTransaction
  ) throws {
    if storingProviders.contains(provider) {
      let request = MethodRemovalRequest(
        reference: reference, account: account, provider: provider, environment: environment)
      try outbox.add(
        PaymentOutboxKind.removeMethod, payload: try OutboxPayload.text(request), due: transaction.now,
        in: transaction)
    }
  }
}
