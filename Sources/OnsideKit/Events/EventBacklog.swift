import Foundation
import OnsideAPI

/// The events that the store has not heard of, oldest first, in batches that are sent and kept on disk as a whole.
/// Pure: it says what is to be sent and what has to change on the disk.
struct EventBacklog: Sendable {
  /// The most events; beyond it the oldest is dropped.
  static let limit = 10_000
  /// The most events of a batch.
  static let batchLimit = 100

  /// Events that are sent together and share a file.
  struct Batch: Hashable, Sendable, Codable {
    /// The name of the file.
    let name: String
    var events: [EventMessage]
  }

  /// What has to change on the disk.
  struct Changes: Hashable, Sendable {
    var written: [Batch] = []
    var erased: [String] = []
    var isEmpty: Bool { written.isEmpty && erased.isEmpty }
  }

  private(set) var batches: [Batch] = []
  private(set) var count = 0
  /// How many were dropped because there were too many.
  private(set) var dropped = 0
  /// The batch that is on its way: no event is added to it any more.
  private var sending: String?
  private var changed: Set<String> = []
  private var erased: Set<String> = []

  /// Takes in an event. `name` names a new batch, if one is begun.
  mutating func add(_ event: EventMessage, to name: @autoclosure () -> String) {
    if let last = batches.last, last.events.count < Self.batchLimit, last.name != sending {
      batches[batches.count - 1].events.append(event)
      changed.insert(last.name)
    } else {
      let batch = Batch(name: name(), events: [event])
      batches.append(batch)
      changed.insert(batch.name)
    }
    count += 1
    dropSurplus()
  }

  /// Puts what earlier launches left in front.
  mutating func restore(_ older: [Batch]) {
    let known = Set(batches.map(\.name))
    let left = older.filter { !known.contains($0.name) && !$0.events.isEmpty }
    batches = left + batches
    count += left.reduce(0) { $0 + $1.events.count }
    dropSurplus()
  }

  /// The oldest batch, which is on its way from now on; nil when there is none, or one is already.
  mutating func next() -> Batch? {
    guard sending == nil, let first = batches.first else { return nil }
    sending = first.name
    return first
  }

  /// The batch under way has arrived, or never will.
  mutating func settled() {
    guard let name = sending else { return }
    sending = nil
    guard let index = batches.firstIndex(where: { $0.name == name }) else { return }
    count -= batches[index].events.count
    remove(at: index)
  }

  /// The batch under way did not arrive: it stays the next one.
  mutating func failed() { sending = nil }

  /// What has to change on the disk since the last time.
  mutating func takeChanges() -> Changes {
    defer { (changed, erased) = ([], []) }
    return Changes(written: batches.filter { changed.contains($0.name) }, erased: erased.sorted())
  }

  /// The disk did not take the changes: they are still to be made.
  mutating func putBack(_ changes: Changes) {
    let names = Set(batches.map(\.name))
    changed.formUnion(changes.written.map(\.name).filter(names.contains))
    erased.formUnion(changes.written.map(\.name).filter { !names.contains($0) })
    erased.formUnion(changes.erased)
  }

  private mutating func dropSurplus() {
    while count > Self.limit, !batches.isEmpty {
      batches[0].events.removeFirst()
      changed.insert(batches[0].name)
      count -= 1
      dropped += 1
      if batches[0].events.isEmpty { remove(at: 0) }
    }
  }

  private mutating func remove(at index: Int) {
    let name = batches.remove(at: index).name
    changed.remove(name)
    erased.insert(name)
  }
}
