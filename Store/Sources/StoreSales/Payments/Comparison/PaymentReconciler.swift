public import Foundation
package import StoreBase
package import StorePayments

/// Compares the store's payments and refunds with the lists of the payment providers.
public struct PaymentReconciler: Sendable {
  /// What is younger, in seconds, may be under way at either.
  static let patience: TimeInterval = 600
  /// How much further back, in seconds, the lists reach: an object may be older than what became of it.
  static let margin: TimeInterval = 86_400

  private let providers: PaymentProviders
  private let dependencies: BaseDependencies

  package init(_ dependencies: BaseDependencies, providers: PaymentProviders) {
    (self.dependencies, self.providers) = (dependencies, providers)
  }

  /// The names of the providers that have lists.
  public var names: [String] { bookkeepers.map(\.name) }

  /// The differences since a time, the oldest first for each provider; payments of the last ten minutes are left out.
  public func differences(since start: Date) async throws -> [PaymentDifference] {
    let end = dependencies.clock.now() - Self.patience
    var differences: [PaymentDifference] = []
    for provider in bookkeepers {
      let from = start - Self.margin
      let theirs = try await provider.books(since: from)
      let charges = Set(theirs.refunds.map(\.charge) + theirs.disputes.map(\.charge))
      let ours = try await dependencies.database.read { [name = provider.name] in
        try StoreBooks.read(of: name, since: from, charges: charges, in: $0)
      }
      differences +=
        PaymentComparison(
          provider: provider.name, theirs: theirs, ours: ours, start: start, end: end
        ).differences
    }
    return differences
  }

  private var bookkeepers: [any BookkeepingProvider] {
    providers.all.compactMap { provider in
      ((provider as? TracedPaymentProvider)?.base ?? provider) as? any BookkeepingProvider
    }
  }
}
