package import StoreBase
package import StoreWeb

/// The providers of a store: the one that takes new payments, and those that took earlier ones, whose refunds and
/// events still count.
package struct PaymentProviders: Sendable {
  /// All of them, the active one first; never empty.
  package let all: [any PaymentProvider]

  /// - Parameter all: at least one; the first takes new payments.
  package init(_ all: [any PaymentProvider]) { self.all = all }

  /// Takes new payments and saves new methods.
  package var active: any PaymentProvider { all[0] }

  /// The provider of a name.
  package func provider(_ name: String) throws(UnknownPaymentProvider) -> any PaymentProvider {
    guard let provider = all.first(where: { $0.name == name }) else { throw UnknownPaymentProvider(name: name) }
    return provider
  }

  /// A Boolean value that indicates whether a method can be charged: its provider is configured.
  package func canCharge(_ method: SavedPaymentMethod) -> Bool { all.contains { $0.name == method.provider } }

  /// How a page shows a method: as its provider does, or by its details if that provider is no longer configured.
  package func label(of method: SavedPaymentMethod, _ context: ProviderPageContext) -> PaymentMethodLabel {
    guard let provider = all.first(where: { $0.name == method.provider }) else {
      return PaymentMethodLabel(name: method.details.name, note: "")
    }
    return provider.label(of: method.details, context)
  }

  /// The name of a method in a line of text, such as brand and last digits.
  package func name(of method: SavedPaymentMethod, _ context: ProviderPageContext) -> String {
    let label = label(of: method, context)
    return label.note.isEmpty ? label.name : label.note
  }

  /// The same providers, each with its calls traced.
  package func traced(by tracer: StoreTracer?) -> PaymentProviders {
    guard let tracer else { return self }
    return PaymentProviders(
      all.map { TracedPaymentProvider(base: $0, call: TracedCall(tracer: tracer, system: $0.name)) })
  }
}

/// The error for a payment of a provider that this store is not configured for.
package struct UnknownPaymentProvider: Error, Sendable, Equatable, CustomStringConvertible {
  let name: String

  package var description: String { "expected one of the store's payment providers, got \"\(name)\"" }
}

/// What the store gives a provider to work with.
package struct ProviderAssembly: Sendable {
  package let dependencies: BaseDependencies
  /// Keys that the provider derives for itself.
  package let secrets: StoreSecrets
  /// The store's address, for the pages that a bank sends the buyer back to.
  package let address: PublicAddress
  /// Takes in what came from the provider, as if the network had brought it.
  package let receive: @Sendable (ProviderDelivery, any PaymentProvider) async throws -> Void

  package init(
    dependencies: BaseDependencies, secrets: StoreSecrets, address: PublicAddress,
    receive: @escaping @Sendable (ProviderDelivery, any PaymentProvider) async throws -> Void
  ) {
    self.dependencies = dependencies
    self.secrets = secrets
    self.address = address
    self.receive = receive
  }
}

/// Makes a provider for a store.
package typealias PaymentProviderFactory = @Sendable (ProviderAssembly) -> any PaymentProvider
