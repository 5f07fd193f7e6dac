package import Foundation
import HTTPTypes
import OnsideAPI
import Synchronization

/// The bytes that each network address may have stored in a day (UTC).
///
/// The sums are in memory: a restart, and the 100,001st address of a day, give each address its budget again. Each
/// process counts for itself, as for the other limits of an address. The budget of the app bounds what is stored.
package final class DailyBudget: Sendable {
  private struct Day {
    var number: Int64 = 0
    var used: [String: Int] = [:]
  }

  private let bytes: Int
  private let capacity: Int
  private let day = Mutex(Day())

  /// - Parameters:
  ///   - bytes: the budget of a key.
  ///   - capacity: the keys that are remembered. The key after them empties the table.
  package init(_ bytes: Int, capacity: Int = 100_000) {
    self.bytes = bytes
    self.capacity = capacity
  }

  /// Spends bytes of a key's budget; throws `rate_limited` with the seconds until the next day if too few are left.
  package func spend(_ count: Int, from key: String, at now: Date) throws(Problem) {
    let isTaken = day.withLock { day in
      // Batches come in any order around midnight.
      if !(day.number - 1...day.number).contains(now.dayNumber) { day = Day(number: now.dayNumber) }
      let used = day.used[key, default: 0] + count
      guard used <= bytes else { return false }
      if day.used[key] == nil, day.used.count >= capacity { day.used = [:] }
      day.used[key] = used
      return true
    }
    guard isTaken else { throw Problem.usedUp(bytes, by: "network address", at: now) }
  }

  /// Returns bytes to a key's budget that were spent and not stored.
  package func returnBytes(_ count: Int, to key: String, at now: Date) {
    day.withLock { day in
      guard let used = day.used[key] else { return }
      day.used[key] = max(0, used - count)
    }
  }
}

extension Problem {
  /// 429: the bytes of a day are used up.
  package static func usedUp(_ bytes: Int, by owner: String, at now: Date) -> Problem {
    let seconds = Date(dayNumber: now.dayNumber + 1).timeIntervalSince(now).rounded(.up)
    return Problem(
      .tooManyRequests, code: .rateLimited,
      detail: "Expected at most \(bytes) bytes of events a day (UTC) from one \(owner).",
      retryAfter: max(1, Int(seconds)))
  }
}

extension Date {
  private static let day: TimeInterval = 86_400

  /// Whole days since 1970-01-01 (UTC).
  package var dayNumber: Int64 { Int64((timeIntervalSince1970 / Self.day).rounded(.down)) }

  /// Midnight (UTC) at the start of a day.
  init(dayNumber: Int64) { self.init(timeIntervalSince1970: Double(dayNumber) * Self.day) }
}
