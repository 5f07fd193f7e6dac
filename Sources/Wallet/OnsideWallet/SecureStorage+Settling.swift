import Sodium
import Synchronization

/// What an earlier call, or a process that was killed, left to be done. Runs under the lock, before anything else.
extension SecureStorage {
  /// Writes an item that could not be written before, and forgets the device secrets of enrolments that never came into
  /// an item. What cannot be done now is left for the next call.
  func settle() {
    if let item = unwritten.withLock({ $0 }) {
      let isStillOld = (try? readItem().slots.contains { $0.enrolment == item.slots.last?.enrolment }) == true
      if isStillOld, (try? storage.write(item.encoded)) == nil { return }
      unwritten.withLock { $0 = nil }
    }
    try? forgetPending()
  }

  /// An item that is damaged says nothing of what belongs to it: then everything stays.
  private func forgetPending() throws {
    let pending = try storage.pendingEnrolments()
    guard !pending.isEmpty else { return }
    let used: [[UInt8]] = try storage.hasItem() ? readItem().slots.map(\.enrolment) : []
    for enrolment in pending where !used.contains(enrolment) { try secrets.remove(enrolment) }
    try storage.setPendingEnrolments([])
  }
}
