import Logging
import OnsideAPI
import Synchronization

/// Logs parts of the store's answers that this version does not understand, each item once: a sync that starts over
/// reads it again.
final class UnreadLog: Sendable {
  /// How many items are remembered. Beyond that nothing is logged any more.
  private static let limit = 1000

  private let known = Mutex<Set<String>>([])

  func note(_ items: [UnreadItem], kind: String, logger: Logger) {
    for item in items where isNew("\(kind) \(item.id ?? "") \(item.reason)") {
      logger.warning(
        "Skipped what this version does not understand; a newer version of the app asks for it again",
        metadata: ["item": "\(kind) \(item.id ?? "without an id")", "reason": "\(item.reason)"])
    }
  }

  private func isNew(_ item: String) -> Bool {
    known.withLock { $0.count < Self.limit && $0.insert(item).inserted }
  }
}
