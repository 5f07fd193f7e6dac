public import Foundation
import Synchronization

/// The machine's clock without its jumps: charges, ends of periods and sessions follow a wall clock that somebody sets
/// only when it is known to be right.
public final class SteadyClock: StoreClock {
  private let machine: MachineClock
  private let course: Mutex<ClockCourse>
  private let start = ContinuousClock.now

  init(_ machine: MachineClock) {
    self.machine = machine
    course = Mutex(ClockCourse(machine.read()))
  }

  /// The clock of this machine.
  public convenience init() { self.init(.live) }

  /// The present moment: the wall clock's, unless it has jumped.
  public func now() -> Date {
    course.withLock { $0.time(of: machine.read(), isSynchronised: machine.isSynchronised) }
  }

  /// Time since this clock was made.
  public func uptime() -> Duration { start.duration(to: .now) }
  /// Waits on the machine's continuous clock.
  public func sleep(for duration: Duration) async throws { try await Task.sleep(for: duration) }

  /// By how many seconds the wall clock is ahead of this one after a jump, negative when it is behind; nil while it
  /// counts.
  public var jump: TimeInterval? {
    _ = now()
    return course.withLock { $0.jump }
  }

  /// Lets the wall clock count, although it has jumped; the reading that counts.
  package func acceptWallClock() -> ClockReference? {
    course.withLock { $0.accept(machine.read()) }
    return reference
  }

  /// The last reading whose wall clock counted; nil where the system does not identify the machine's start.
  var reference: ClockReference? {
    machine.boot.map { boot in ClockReference(boot: boot, time: course.withLock { $0.reference }) }
  }

  /// Continues the time of an earlier reading of the same start of the machine; does nothing for another one.
  func resume(from earlier: ClockReference) {
    guard earlier.boot == machine.boot, earlier.time.sinceBoot <= machine.read().sinceBoot else { return }
    course.withLock { $0.resume(from: earlier.time) }
  }

  /// Continues from a reading that was accepted after the reference.
  func resume(fromAccepted accepted: ClockReference) {
    guard accepted.time.sinceBoot > course.withLock({ $0.reference.sinceBoot }) else { return }
    resume(from: accepted)
  }
}

extension SteadyClock {
  /// Continues the time that a database file records. A server's database has the processes of several machines.
  public func resume(from database: any Database) async throws {
    guard !database.isOnServer,
      let reference = try await database.read({ try ClockReference.read(ClockReference.name, in: $0) })
    else { return }
    resume(from: reference)
  }
}
