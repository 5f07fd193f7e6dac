public import Foundation
import StoreBase

extension StoreCore {
  /// Accepts the wall clock after a jump, in all processes of the database on this machine.
  ///
  /// - Returns: the accepted time; nil if the system does not identify the machine's start.
  public func acceptClock() async throws -> Date? {
    guard let reference = dependencies.clock.steady?.acceptWallClock() else { return nil }
    try await dependencies.database.write { connection in
      try reference.write(ClockReference.name, in: connection)
      try reference.write(ClockReference.acceptedName, in: connection)
    }
    return reference.time.wall
  }
}
