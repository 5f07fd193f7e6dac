package import Foundation
package import StoreBase
package import StorePayments

/// Detaches payment methods that no account has saved and no subscription uses: the method of an ended subscription, or
/// of a payment that did not begin one. One run marks them, and a run that finds the mark at least a day old detaches
/// them, so that the method of a subscription that has just ended is there for its return. Refunds need no attached
/// method.
package struct MethodSweep: Sendable {
  /// Seconds between two sweeps, and the least age of a detached method's mark.
  package static let period: TimeInterval = 86_400
  /// Methods per write, so that a purchase waits for few of them.
  private static let batch = 100

  let dependencies: BaseDependencies
  let removals: MethodRemovals

  package init(_ dependencies: BaseDependencies, providers: PaymentProviders) {
    self.dependencies = dependencies
    removals = MethodRemovals(providers: providers, environment: dependencies.environment)
  }

  /// Deletes methods with an old mark and requests their removal at their providers, then marks unused methods; returns
  /// the number of deleted methods.
  @discardableResult
  package func run() async throws -> Int {
    let now = dependencies.clock.now()
    var count = 0
    try await inBatches {
      try PaymentMethodRecords.markedUnused(by: now - Self.period, limit: Self.batch, in: $1)
    } write: { [removals] ids, transaction in
      let swept = try ids.compactMap { try PaymentMethodRecords.deleteUnused($0, in: transaction) }
      for (account, method) in swept {
        try removals.request(method.details.reference, at: method.provider, of: account, in: transaction)
      }
      return swept.count
    } counted: {
      count += $0
    }
    try await inBatches {
      try PaymentMethodRecords.unused(after: $0, limit: Self.batch, in: $1)
    } write: { ids, transaction in
      for id in ids { try PaymentMethodRecords.setUnused(id, since: now, in: transaction) }
      return ids.count
    }
    return count
  }

  /// Selects methods in reads, each after the last method of the one before, and changes each batch in a write of its
  /// own.
  private func inBatches(
    _ select: @escaping @Sendable (_ last: String, _ connection: any SQLConnection) throws -> [String],
    write: @escaping @Sendable (_ ids: [String], _ transaction: StoreTransaction) throws -> Int,
    counted: (Int) -> Void = { _ in }
  ) async throws {
    let now = dependencies.clock.now()
    var last = ""
    while !Task.isCancelled {
      let ids = try await dependencies.database.read { [last] in try select(last, $0) }
      guard let end = ids.last else { return }
      last = end
      counted(try await dependencies.database.write(at: now) { try write(ids, $0) })
    }
  }
}
