import Foundation

/// Finishes on their way to the disk, of which the app has not been told yet.
struct UnwrittenFinishes: Sendable {
  private var ids: Set<UUID> = []
  /// Those of them that the store says are paid after all.
  private var paidAfterAll: Set<UUID> = []

  var isEmpty: Bool { ids.isEmpty }

  func contains(_ id: UUID) -> Bool { ids.contains(id) }

  mutating func insert(_ id: UUID) { ids.insert(id) }

  /// The store says that this one is paid after all: it has to come again once the finish is on the disk.
  mutating func markPaid(_ id: UUID) { paidAfterAll.insert(id) }

  /// The finish is on the disk. Answers whether it is paid after all.
  mutating func remove(_ id: UUID) -> Bool {
    ids.remove(id)
    return paidAfterAll.remove(id) != nil
  }
}
