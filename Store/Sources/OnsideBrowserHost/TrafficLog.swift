import Foundation
import Synchronization

/// A log of the messages between pages and the native side, one line each.
final class TrafficLog: Sendable {
  private let now: @Sendable () -> Date
  private let write: (@Sendable (String) -> Void)?
  private let pages = Mutex<[String: PageLog]>([:])

  init(now: @escaping @Sendable () -> Date, write: (@Sendable (String) -> Void)?) {
    self.now = now
    self.write = write
  }

  /// Begins the log of a new page.
  func begin(page id: String, inTab tab: Int) {
    guard let write else { return }
    let log = PageLog(tab: tab, now: now, write: write)
    pages.withLock { $0[id] = log }
    log.note("page", "opened")
  }

  func end(page id: String) {
    pages.withLock { $0.removeValue(forKey: id) }?.note("page", "gone")
  }

  func closed(tab: Int) {
    guard let write else { return }
    PageLog(tab: tab, now: now, write: write).note("tab", "closed")
  }

  func received(_ message: String, from id: String) { pages.withLock { $0[id] }?.received(message) }
  func sent(_ message: String, to id: String) { pages.withLock { $0[id] }?.sent(message) }

  func refused(_ path: String, because refusal: RequestGuard.Refusal) {
    write?("\(PageLog.time(now()))  refused \(path): \(refusal.reason)")
  }
}
