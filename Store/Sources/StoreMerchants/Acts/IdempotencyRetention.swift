import Foundation
package import StoreBase

/// Deletion of old answers to acts.
package struct IdempotencyRetention: Sendable {
  /// Days after which an answer is deleted: its idempotency key is then free.
  package static let days = 3

  private let dependencies: BaseDependencies

  package init(_ dependencies: BaseDependencies) { self.dependencies = dependencies }

  /// Deletes all answers that are older than ``days``.
  package func clear() async throws {
    let limit = dependencies.clock.now().addingTimeInterval(-Double(Self.days) * 86_400)
    try await dependencies.database.inPieces { try IdempotencyRecords.clear(createdBefore: limit, in: $0) }
  }
}
