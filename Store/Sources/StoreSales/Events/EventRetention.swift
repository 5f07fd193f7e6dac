import Foundation
package import StoreBase

/// Deletion of old events. The newest event of each object remains: it has the object's sequence and the state with
/// which the next event is compared.
package struct EventRetention: Sendable {
  /// Days after which superseded events are deleted.
  package static let days = 180

  private let clock: SandboxClock
  private let database: any Database

  package init(_ dependencies: BaseDependencies) {
    clock = dependencies.clock
    database = dependencies.database
  }

  /// Deletes all superseded events that are older than ``days``.
  package func clear() async throws {
    let limit = clock.now().addingTimeInterval(-Double(Self.days) * 86_400)
    try await database.inPieces { try MerchantEventRecords.clear(createdBefore: limit, in: $0) }
  }
}
