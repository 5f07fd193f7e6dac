import Foundation
import StoreAccounts
package import StoreBase

/// Writes an event with the whole state of each customer that has none in the present epoch: after the upgrade to the
/// first version with events, and after a restore or a failover.
package struct CustomerCatchUp: Sendable {
  /// The pause between two passes. A pass with nothing to do reads two settings.
  package static let period = Duration.seconds(30)

  /// The setting with the epoch of the last complete pass.
  private static let finishedEpoch = "merchant_customers_epoch"

  private let dependencies: BaseDependencies
  private let batch: Int

  /// - Parameter batch: the number of customers in one transaction.
  package init(_ dependencies: BaseDependencies, batch: Int = 100) {
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
    repeat { last = try await writeBatch(of: epoch, after: last) } while last != nil
  }

  /// Writes the events of the next customers. Returns the last of them; nil at the end of the pass, and after a change
  /// of the epoch, whose customers are those of the next pass.
  private func writeBatch(of epoch: String, after last: Customer?) async throws -> Customer? {
    let (environment, batch) = (dependencies.environment, batch)
    return try await dependencies.database.write(at: dependencies.clock.now()) { transaction in
      guard try SyncEpoch.current(in: transaction) == epoch else { return nil }
      let customers = try CustomerRecords.withoutEvent(
        in: epoch, after: last, limit: batch, connection: transaction)
      for customer in customers {
        try CustomerEvents.appendState(
          of: customer, in: transaction.at(timeOf: customer.account, in: environment))
      }
      if customers.count == batch { return customers.last }
      try StoreSettings(connection: transaction).set(Self.finishedEpoch, to: epoch)
      return nil
    }
  }
}
