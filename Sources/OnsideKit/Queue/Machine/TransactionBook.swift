import Foundation
import OnsideCommerce

/// The transactions of one account.
struct TransactionBook: Sendable {
  /// All of them, tombstones included.
  private(set) var entries: [UUID: QueueEntry] = [:]
  /// The unfinished ones, oldest first.
  private(set) var visible: [UUID] = []
  /// Those whose finish the store has still to be told of, in the order in which it is told.
  var owed: [UUID] = []
  /// Those that the store took back, and of which the app has still to be told.
  private(set) var untold: Set<UUID> = []
  /// How far the sync has come.
  var cursor: String?

  init() {}

  /// A book out of what was on disk. Ids of version 7 sort by the time they were made.
  init(_ loaded: [QueueEntry], cursor: String?) {
    self.cursor = cursor
    let revoked = loaded.reduce(into: [String: Date]()) { dates, entry in
      if let purchase = entry.purchase, let date = purchase.revokedAt { dates[purchase.transactionIdentifier] = date }
    }
    for var entry in loaded.sorted(by: { $0.id.uuidString < $1.id.uuidString }) {
      // A duplicate is refunded with its original purchase; the disk may have only the original's refund.
      if entry.isVisible, entry.isDuplicate, let purchase = entry.purchase,
        let date = revoked[purchase.transactionIdentifier]
      {
        entry.purchase?.revokedAt = date
        entry.owesRevocation = entry.isDelivered ? true : nil
      }
      entries[entry.id] = entry
      if entry.isVisible { visible.append(entry.id) }
      if entry.owesFinish { owed.append(entry.id) }
      if entry.owesRevocation == true { untold.insert(entry.id) }
    }
  }

  /// Hides the unfinished consumables of earlier launches until the store has let this device deliver them.
  mutating func awaitClaims() {
    for id in visible where entries[id]?.state == .purchased && entries[id]?.payment.product.productType == .consumable
    {
      _ = change(id) { $0.awaitsClaim = true }
    }
  }

  /// The entry with this id, also when it is finished.
  subscript(id: UUID) -> QueueEntry? { entries[id] }

  /// The entry with this id if it is not finished.
  func unfinished(_ id: UUID) -> QueueEntry? {
    entries[id].flatMap { $0.isVisible ? $0 : nil }
  }

  /// Those that the app is not to know of before this device may deliver them, oldest first.
  var unclaimed: [UUID] {
    entries.values.filter(\.isUnclaimed).map(\.id).sorted { $0.uuidString < $1.uuidString }
  }

  /// Whether an entry reports the revocation of its purchase: if that has duplicates, its own order does or, if that is
  /// not in the book, the first duplicate.
  func isReported(by entry: QueueEntry) -> Bool {
    guard entry.isDuplicate else { return true }
    let revoked = revoked(of: entry.purchase?.transactionIdentifier)
    return !revoked.contains { self[$0]?.isDuplicate == false }
      && revoked.min { $0.uuidString < $1.uuidString } == entry.id
  }

  /// The revoked entries of one purchase.
  func revoked(of purchase: String?) -> [UUID] {
    entries.values.filter { $0.isRevoked && $0.purchase?.transactionIdentifier == purchase }.map(\.id)
  }

  /// Payments whose outcome is not known, oldest first.
  var purchasing: [UUID] { visible.filter { entries[$0]?.state == .purchasing } }

  /// Whether the store has still to be told of a finish, also of one that is on its way to the disk.
  var owesFinish: Bool { entries.values.contains { $0.owesFinish } }

  /// Takes in a new entry or a new version of one.
  mutating func put(_ entry: QueueEntry) {
    if entry.owesRevocation == true { untold.insert(entry.id) } else { untold.remove(entry.id) }
    let wasVisible = entries.updateValue(entry, forKey: entry.id)?.isVisible ?? false
    switch (wasVisible, entry.isVisible) {
    case (false, true): visible.append(entry.id)
    case (true, false): hide(entry.id)
    default: break
    }
  }

  /// Changes an entry in place and answers its new version.
  mutating func change(_ id: UUID, _ change: (inout QueueEntry) -> Void) -> QueueEntry? {
    guard var entry = entries[id] else { return nil }
    change(&entry)
    put(entry)
    return entry
  }

  /// Forgets an entry.
  mutating func remove(_ id: UUID) {
    untold.remove(id)
    if entries.removeValue(forKey: id)?.isVisible == true { hide(id) }
  }

  private mutating func hide(_ id: UUID) {
    if let index = visible.firstIndex(of: id) { visible.remove(at: index) }
  }
}
