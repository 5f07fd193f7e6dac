import Foundation
import Logging

/// The batches of events on disk: one small file for each, in `events` of the storage folder.
struct EventFolder: Sendable {
  private let folder: DurableFolder
  private let logger: Logger

  init(_ dependencies: Dependencies) {
    folder = DurableFolder(
      url: dependencies.storageFolder.appending(path: "events", directoryHint: .isDirectory), files: dependencies.files)
    logger = dependencies.logger
  }

  private struct Content: Codable {
    var version = 1
    var batch: EventBacklog.Batch
  }

  private static let suffix = ".json"

  /// Keeps other processes from taking what earlier launches left; nil when one of them has it already, or when nothing
  /// was ever left.
  func lock() -> (any Sendable)? {
    guard (try? folder.names())?.isEmpty == false else { return nil }
    do {
      return try folder.lock("events.lock")
    } catch is FileLock.Busy {
      return nil
    } catch {
      logger.error("The folder of events cannot be used: \(error)")
      return nil
    }
  }

  /// What earlier launches left, oldest first. What cannot be read is deleted: it would be in the way for ever.
  func load() -> [EventBacklog.Batch] {
    do {
      var batches: [EventBacklog.Batch] = []
      var damaged: [String] = []
      for name in try folder.names().sorted() where !name.hasSuffix(".lock") {
        let content = try folder.read(name).flatMap { try? JSONDecoder().decode(Content.self, from: $0) }
        if let batch = content?.batch, content?.version == 1, batch.name + Self.suffix == name {
          batches.append(batch)
        } else {
          damaged.append(name)
        }
      }
      if !damaged.isEmpty {
        logger.warning("Deleted \(damaged.count) files of events that could not be read")
        try folder.erase(damaged)
      }
      return batches
    } catch {
      logger.error("The events of earlier launches cannot be read: \(error)")
      return []
    }
  }

  /// Makes changes; they are on the disk on return.
  func apply(_ changes: EventBacklog.Changes) throws {
    try folder.make()
    if !changes.written.isEmpty {
      try folder.write(
        changes.written.map { (name: $0.name + Self.suffix, content: try JSONEncoder().encode(Content(batch: $0))) })
    }
    if !changes.erased.isEmpty { try folder.erase(changes.erased.map { $0 + Self.suffix }) }
  }
}
