public import Foundation
public import OnsideAPI
import StoreBase
public import StoreSales

extension StoreCore {
  /// Accepts the wall clock after a jump, in all processes of the database on this machine.
  ///
  /// - Returns: the accepted time; nil if the system does not identify the machine's start.
  public func acceptClock() async throws -> Date? {
    guard let reference = dependencies.clock.steady?.acceptWallClock() else { return nil }
    try await dependencies.database.write(at: dependencies.clock.now()) { transaction in
      try reference.write(ClockReference.name, in: transaction)
      try reference.write(ClockReference.acceptedName, in: transaction)
    }
    return reference.time.wall
  }

  /// Returns the clock of one account of a sandbox.
  public func clock(of account: AccountID) -> AccountClock {
    AccountClock(
      of: account, dependencies.base, orders: orders, lifecycle: subscriptions.lifecycle, changes: changes,
      deliverOutbox: deliverOutbox)
  }

  /// The service that applies changes of other processes.
  var externalChanges: ExternalChanges {
    ExternalChanges(dependencies: dependencies.base, caches: caches, changes: changes)
  }
}
