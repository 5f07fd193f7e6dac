public import Foundation
import Logging
import Synchronization

/// Watches the clock of a serving store: reports a jump of the wall clock, lets it count again when it is confirmed, and
/// records the time for the next process.
final class ClockWatch: Sendable {
  private struct State {
    var isJumpReported = false
    var checkedAt: Duration?
  }

  /// The pause between two looks at the wall clock.
  static let period: Duration = .seconds(5)
  /// The pause between two records of the time, or comparisons with a database server.
  private static let checkPeriod: Duration = .seconds(600)

  private let clock: SteadyClock
  private let database: any Database
  private let logger: Logger
  private let state = Mutex(State())

  init(_ clock: SteadyClock, database: any Database, logger: Logger) {
    (self.clock, self.database, self.logger) = (clock, database, logger)
  }

  func run() async throws {
    if let jump = clock.jump {
      report(jump)
      if try await isConfirmed() { clock.acceptWallClock() }
    }
    guard clock.jump == nil else { return }
    reportEnd()
    guard isCheckDue() else { return }
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

  /// Whether the database server's clock agrees with the wall clock, or an operator has accepted it.
  private func isConfirmed() async throws -> Bool {
    if let difference = try await database.clockDifference(of: SystemClock()) {
      return difference.seconds.magnitude <= ClockDifference.refusalThreshold
    }
    let accepted = try await database.read { try ClockReference.read(ClockReference.acceptedName, in: $0) }
    return accepted.map(clock.isNewer) ?? false
  }

  private func isCheckDue() -> Bool {
    let now = clock.uptime()
    return state.withLock { state in
      if let last = state.checkedAt, now - last < Self.checkPeriod { return false }
      state.checkedAt = now
      return true
    }
  }

  private func record() async throws {
    guard let reference = clock.reference else { return }
    try await database.write { try reference.write(ClockReference.name, in: $0) }
  }

  private func compare() async throws {
    guard let difference = try await database.clockDifference(of: SystemClock()),
      difference.seconds.magnitude > ClockDifference.warningThreshold
    else { return }
    logger.warning(
      "this machine's clock differs from the database server's: synchronise both (NTP)",
      metadata: ["difference": "\(difference)"])
  }
}

extension StoreCore {
  /// Lets the wall clock count after a jump, in all processes of the database on this machine.
  ///
  /// - Returns: the time that counts; nil with a database server, whose clock is compared instead.
  public func acceptClock() async throws -> Date? {
    guard !dependencies.database.isOnServer, let clock = dependencies.clock.steady else { return nil }
    clock.acceptWallClock()
    guard let reference = clock.reference else { return nil }
    try await dependencies.database.write { connection in
      try reference.write(ClockReference.name, in: connection)
      try reference.write(ClockReference.acceptedName, in: connection)
    }
    return clock.now()
  }
}
