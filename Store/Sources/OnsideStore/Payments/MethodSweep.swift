import Foundation

/// Detaches payment methods that no account has saved and no subscription uses any more, a day after they were recorded
/// at the earliest: the method of an ended subscription, or of a payment that did not begin one. Refunds need no
/// attached method.
struct MethodSweep: Sendable {
  /// Seconds between two sweeps, and the least age of a detached method.
  static let period: TimeInterval = 86_400
  /// Methods per write: purchases wait for it.
  private static let batch = 100

  let dependencies: StoreDependencies
  let removals: MethodRemovals

  init(_ dependencies: StoreDependencies, providers: PaymentProviders) {
    self.dependencies = dependencies
    removals = MethodRemovals(providers: providers, environment: dependencies.configuration.environment)
  }

  /// Deletes the unused methods and requests their removal at their providers; returns their number.
  @discardableResult
  func run() async throws -> Int {
    let now = dependencies.clock.now()
    var count = 0
    while !Task.isCancelled {
      let swept = try await dependencies.database.write(at: now) { [removals] transaction in
        let unused = try PaymentMethodRecords.unused(before: now - Self.period, limit: Self.batch, in: transaction)
        for (account, method) in unused {
          try PaymentMethodRecords.delete(method.id, in: transaction)
          try removals.request(method.details.reference, at: method.provider, of: account, in: transaction)
        }
        return unused.count
      }
      count += swept
      if swept < Self.batch { break }
    }
    return count
  }
}
