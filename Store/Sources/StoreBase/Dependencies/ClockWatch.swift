import Foundation
package import Logging
import Synchronization

/// Watches the clock of a serving store: reports a jump of the wall clock, lets it count again when it is accepted, and
/// records the time for the next process.
package final class ClockWatch: Sendable {
  private struct State {
    var isJumpReported = false
    /// The difference between wall clock and time since the machine's start in the last record, in seconds.
    var recorded: TimeInterval?
    var comparedAt: Duration?
  }

  /// The pause between two looks at the wall clock.
  package static let period: Duration = .seconds(5)
  /// The pause between two comparisons with a database server.
  private static let comparisonPeriod: Duration = .seconds(600)

  private let clock: SteadyClock
  private let database: any Database
  private let logger: Logger
  private let state = Mutex(State())

  package init(_ clock: SteadyClock, database: any Database, logger: Logger) {
    (self.clock, self.database, self.logger) = (clock, database, logger)
  }

  package func run() async throws {
    if let jump = clock.jump {
      report(jump)
      let accepted = try await database.read { try ClockReference.read(ClockReference.acceptedName, in: $0) }
      if let accepted { clock.resume(fromAccepted: accepted) }
    }
    guard clock.jump == nil else { return }
    reportEnd()
    try await database.isOnServer ? compare() : record()
  }

  private func report(_ jump: TimeInterval) {
    let isNew = state.withLock { state in
      defer { state.isJumpReported = true }
      return !state.isJumpReported
    }
    guard isNew else { return }
    logger.error(
      "the machine's clock has jumped, and the store goes on with its own time: see onside clock show",
      metadata: ["difference": "\(ClockDifference(seconds: jump))"])
  }

  private func reportEnd() {
    let wasReported = state.withLock { state in
      defer { state.isJumpReported = false }
      return state.isJumpReported
    }
    if wasReported { logger.notice("the machine's clock counts again", metadata: ["time": "\(clock.now())"]) }
  }

  /// Records the time at the start, and when the wall clock was set.
  private func record() async throws {
    guard let reference = clock.reference else {
      let isFirst = state.withLock { state in
        defer { state.recorded = 0 }
        return state.recorded == nil
      }
      if isFirst { logger.warning("the machine's start has no identifier: after a restart its clock counts as it is") }
      return
    }
    let difference = reference.time.wall.timeIntervalSince1970 - Double(reference.time.sinceBoot) / 1000
    if let last = state.withLock({ $0.recorded }), abs(difference - last) < 1 { return }
    try await database.write { try reference.write(ClockReference.name, in: $0) }
    state.withLock { $0.recorded = difference }
  }

  private func compare() async throws {
    let now = clock.uptime()
    let isDue = state.withLock { state in
      if let last = state.comparedAt, now - last < Self.comparisonPeriod { return false }
      state.comparedAt = now
      return true
    }
    guard isDue, let difference = try await database.clockDifference(of: SystemClock()),
      difference.seconds.magnitude > ClockDifference.warningThreshold
    else { return }
    logger.warning(
      "this machine's clock differs from the database server's: synchronise both (NTP)",
      metadata: ["difference": "\(difference)"])
  }
}
