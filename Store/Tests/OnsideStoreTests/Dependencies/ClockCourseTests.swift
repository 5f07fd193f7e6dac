import Foundation
import OnsideCommerce
import StoreTestSupport
import Synchronization
import Testing

@testable import OnsideStore
@testable import StoreBase

/// The store's time beside a wall clock that jumps.
@Suite("Jumps of the wall clock", .timeLimit(.minutes(5)))
struct ClockCourseTests {
  /// A machine whose clocks a test sets.
  private final class Machine: Sendable {
    struct State {
      var time = MachineTime(wall: ClockCourseTests.start, sinceBoot: 1_000_000)
      var isSynchronised = false
    }

    let state = Mutex(State())

    func clock(boot: String? = "boot-1") -> SteadyClock {
      SteadyClock(
        MachineClock(
          boot: boot, read: { self.state.withLock { $0.time } },
          isSynchronised: { self.state.withLock { $0.isSynchronised } }))
    }

    /// Lets time pass, by which the wall clock goes on, and jumps besides.
    func pass(_ seconds: TimeInterval, jumping jump: TimeInterval = 0) {
      state.withLock {
        $0.time.sinceBoot += Int64(seconds * 1000)
        $0.time.wall += seconds + jump
      }
    }

    func synchronise() { state.withLock { $0.isSynchronised = true } }

    /// Starts the machine again.
    func restart(after seconds: TimeInterval) {
      state.withLock {
        $0.time.sinceBoot = 5000
        $0.time.wall += seconds
      }
    }
  }

  private static let start = Date(timeIntervalSince1970: 1_800_000_000)
  private static let year: TimeInterval = 400 * 86_400

  @Test(
    "STO-17: the time follows steps of a minute, and no jump; after it the wall clock counts again",
    arguments: [1.0, -1])
  func jump(direction: Double) {
    let machine = Machine()
    let clock = machine.clock()
    machine.pass(10, jumping: 60 * direction)
    #expect(clock.now() == Self.start + 10 + 60 * direction && clock.jump == nil)
    machine.pass(10, jumping: Self.year * direction)
    #expect(clock.now() == Self.start + 20 + 60 * direction)
    #expect(clock.jump == Self.year * direction)
    machine.pass(30)
    #expect(clock.now() == Self.start + 50 + 60 * direction)
    machine.pass(1, jumping: -Self.year * direction)
    #expect(clock.now() == Self.start + 51 + 60 * direction && clock.jump == nil)
  }

  @Test("STO-17: a wall clock that the kernel has synchronised counts, whatever the difference")
  func synchronised() {
    let machine = Machine()
    let clock = machine.clock()
    machine.pass(5, jumping: Self.year)
    #expect(clock.jump == Self.year)
    machine.synchronise()
    #expect(clock.now() == Self.start + 5 + Self.year && clock.jump == nil)
  }

  @Test("STO-17: the next process goes on with the time of the one before, also during a jump")
  func nextProcess() throws {
    let machine = Machine()
    let first = machine.clock()
    _ = first.now()
    let reference = try #require(first.reference)
    #expect(ClockReference(reference.text) == reference)
    machine.pass(100, jumping: Self.year)
    let second = machine.clock()
    second.resume(from: reference)
    #expect(second.now() == Self.start + 100 && second.jump == Self.year)
  }

  @Test("STO-17: after another start of the machine its wall clock counts")
  func restarted() throws {
    let machine = Machine()
    let reference = try #require(machine.clock().reference)
    machine.restart(after: -Self.year)
    let other = machine.clock(boot: "boot-2")
    other.resume(from: reference)
    #expect(other.jump == nil && other.now() == Self.start - Self.year)
  }

  @Test("STO-17: an accepted wall clock counts in a serving process; an acceptance before the jump does not")
  func accepted() async throws {
    let machine = Machine()
    let store = try await TestStore()
    let database = store.core.dependencies.database
    let (serving, command) = (machine.clock(), machine.clock())
    let watch = ClockWatch(serving, database: database, logger: store.core.dependencies.logger)
    try await watch.run()
    let recorded = try await database.read { try ClockReference.read(ClockReference.name, in: $0) }
    #expect(database.isOnServer ? recorded == nil : recorded?.time.wall == Self.start)
    for round in 1...2 {
      machine.pass(10, jumping: Self.year)
      try await watch.run()
      #expect(serving.jump == Self.year, "round \(round)")
      machine.pass(10)
      let accepted = try #require(command.acceptWallClock())
      try await database.write { try accepted.write(ClockReference.acceptedName, in: $0) }
      try await watch.run()
      #expect(serving.jump == nil && serving.now() == accepted.time.wall, "round \(round)")
    }
  }
}
