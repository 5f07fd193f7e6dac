import Foundation
import Synchronization

/// The last requests of keys since they were written to the database.
final class APIKeyUses: Sendable {
  private let times = Mutex<[String: Date]>([:])

  func note(_ id: String, at time: Date) {
    times.withLock { $0[id] = max($0[id] ?? time, time) }
  }

  /// The last request of each key that is not written.
  var waiting: [String: Date] { times.withLock { $0 } }

  /// Removes the written times, apart from those of keys with later requests.
  func forget(_ written: [String: Date]) {
    times.withLock { times in
      for (id, time) in written where times[id] == time { times[id] = nil }
    }
  }
}
