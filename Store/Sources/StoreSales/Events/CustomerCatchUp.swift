import Foundation
import ServiceLifecycle
import StoreAccounts
package import StoreBase

/// Writes an event with the whole state of each customer that has none in the present epoch: after the upgrade to the
/// first version with events, and after a restore or a failover.
///
/// A pass is slow on purpose: its transactions are short background writes of few customers, and purchases do not wait
/// for it. It ends with the store, and the next pass continues with the customers that are left.
package struct CustomerCatchUp: Sendable {
  /// The pause between two passes. A pass with nothing to do reads two settings.
  package static let period = Duration.seconds(30)

  /// The setting with the epoch of the last complete pass.
  private static let finishedEpoch = "merchant_customers_epoch"

  private let dependencies: BaseDependencies
  private let batch: Int

  /// - Parameter batch: the number of customers in one transaction.
  package init(_ dependencies: BaseDependencies, batch: Int = 10) {
    self.dependencies = dependencies
    self.batch = batch
  }

  /// Writes the missing events, unless a pass is complete in the present epoch.
  package func run() async throws {
    let (epoch, finished) = try await dependencies.database.read { connection in
      (
        try SyncEpoch.current(in: connection),
        try StoreSettings(connection: connection).value(Self.finishedEpoch)
      )
    }
    guard epoch != finished else { return }
    var last: Customer?
    repeat {
      guard !Task.isShuttingDownGracefully else { return }
      try Task.checkCancellation()
      last = try await writeBatch(of: epoch, after: last)
    } while last != nil
  }

  /// Writes the events of the next customers. Returns the last of them; nil at the end of the pass, and after a change
  /// of the epoch, whose customers are those of the next pass.
  private func writeBatch(of epoch: String, after last: Customer?) async throws -> Customer? {
    let batch = batch
    // The search is not part of the write, which other writes wait for.
    let customers = try await dependencies.database.read {
      try CustomerRecords.withoutEvent(in: epoch, after: last, limit: batch, connection: $0)
    }
    return try await write(customers, of: epoch) ? customers.last : nil
  }

  /// Writes the events of customers that still have none in the epoch. Returns whether the pass continues.
  private func write(_ customers: [Customer], of epoch: String) async throws -> Bool {
    let (environment, batch) = (dependencies.environment, batch)
    return try await dependencies.database.write(at: dependencies.clock.now()) { transaction in
      guard try SyncEpoch.current(in: transaction) == epoch else { return false }
      for customer in customers where try !CustomerRecords.hasEvent(customer, in: epoch, connection: transaction) {
        try CustomerEvents.appendState(
          of: customer, in: transaction.at(timeOf: customer.account, in: environment))
      }
      if customers.count == batch { return true }
      try StoreSettings(connection: transaction).set(Self.finishedEpoch, to: epoch)
      return false
    }
  }
}
