import Foundation
import Logging
import ServiceLifecycle
import StoreBaseTestSupport
import StoreTestSupport
import Synchronization
import Testing

@testable import OnsideStore
@testable import StoreBase

@Suite("The outbox of several processes", .timeLimit(.minutes(5)))
struct OutboxLeaseTests {
  private static let now = Date(timeIntervalSince1970: 1_780_000_000)

  private struct Refused: Error {}

  private let folder: TemporaryFolder
  private let clock = ManualClock(OutboxLeaseTests.now)
  private let database: any Database
  private let first: Outbox
  private let second: Outbox
  private let taken = Lines()

  init() async throws {
    folder = try TemporaryFolder()
    database = try await TestDatabase.open(in: folder, now: Self.now)
    first = Self.outbox(database, seed: 1, clock: clock)
    second = Self.outbox(try await TestDatabase.open(in: folder, now: Self.now), seed: 2, clock: clock)
  }

  private static func outbox(_ database: any Database, seed: UInt64, clock: ManualClock) -> Outbox {
    Outbox(
      StoreDependencies(
        clock: clock, random: SeededRandomSource(seed: seed), database: database,
        logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      ).base, isSuspended: { _, _ in false })
  }

  private static func add(_ count: Int, to database: any Database) async throws {
    try await database.write(at: now) { transaction in
      for number in 0..<count { try OutboxRecords().add("call", payload: "\(number)", due: now, in: transaction) }
    }
  }

  /// Two outboxes drain at the same time, each of which has a row under way before the other's first is delivered.
  private static func drainTogether(_ first: Outbox, _ second: Outbox) async throws -> [String] {
    let taken = Lines()
    let begun = [AsyncStream.makeStream(of: Void.self), AsyncStream.makeStream(of: Void.self)]
    for (outbox, own, other) in [(first, 0, 1), (second, 1, 0)] {
      outbox.register("call") { payload in
        begun[own].continuation.finish()
        for await _ in begun[other].stream {}
        taken.add(payload)
      }
    }
    async let one = first.drain()
    async let two = second.drain()
    let tried = try await (one, two)
    #expect(tried.0 > 0 && tried.1 > 0)
    return taken.all
  }

  private func rows() async throws -> [OutboxListing] {
    try await database.read { try OutboxRecords().all(limit: 1000, in: $0) }
  }

  @Test("Each row is delivered by one process, however many drain at the same time")
  func once() async throws {
    try await Self.add(300, to: database)
    let taken = try await Self.drainTogether(first, second)
    #expect(taken.count == 300 && Set(taken).count == 300)
    let actualRows = try await rows()
    #expect(actualRows.isEmpty)
  }

  @Test("A row that a process took before it died is delivered by another one when the lease is over, and not before")
  func died() async throws {
    try await Self.add(1, to: database)
    second.register("call") { [taken] in taken.add($0) }
    let payloads = try await first.claim("call", limit: 10).map(\.payload)
    #expect(payloads == ["0"])
    clock.advance(by: .milliseconds(14_999))
    // A sandbox's clock that is moved ends no lease.
    try await second.dependencies.clock.reloadOffset { 3_600_000 }
    let drained = try await second.drain()
    #expect(drained == 0)
    clock.advance(by: .milliseconds(1))
    let secondDrained = try await second.drain()
    #expect(secondDrained == 1)
    #expect(taken.all == ["0"])
  }

  @Test("A lease by a clock that was years ahead holds nothing")
  func wrongClock() async throws {
    try await Self.add(1, to: database)
    clock.advance(by: .seconds(100_000_000))
    let claimCount = try await first.claim("call", limit: 10).count
    #expect(claimCount == 1)
    clock.advance(by: .seconds(-100_000_000))
    second.register("call") { [taken] in taken.add($0) }
    let drained = try await second.drain()
    #expect(drained == 1)
  }

  @Test("A row that a request writes to deliver it itself is taken by no other process meanwhile")
  func inline() async throws {
    let delivery = try await database.write(at: Self.now) { [first] transaction in
      try OutboxRecords().add("call", payload: "own", leasedBy: first.lease(), in: transaction)
    }
    for outbox in [first, second] { outbox.register("call") { [taken] in taken.add($0) } }
    let drained = try await second.drain()
    #expect(drained == 0)
    await first.deliver(delivery)
    #expect(taken.all == ["own"])
    let actualRows = try await rows()
    #expect(actualRows.isEmpty)
  }

  @Test("A delivery that takes longer than its lease keeps the row, since the lease is renewed")
  func renewed() async throws {
    try await Self.add(2, to: database)
    let (begun, isBegun) = AsyncStream.makeStream(of: Void.self)
    let (gate, opens) = AsyncStream.makeStream(of: Void.self)
    first.register("call") { [taken] payload in
      isBegun.finish()
      for await _ in gate {}
      taken.add(payload)
    }
    second.register("call") { _ in Issue.record("the row was taken from a living process") }
    async let drained = first.drain()
    for await _ in begun {}
    for _ in 0..<4 {
      clock.advance(by: .seconds(OutboxLease.renewalAge))
      await first.renewLeases()
      let actualDrained = try await second.drain()
      #expect(actualDrained == 0)
    }
    opens.finish()
    let secondDrained = try await drained
    #expect(secondDrained == 2)
    #expect(taken.all == ["0", "1"])
    let actualRows = try await rows()
    #expect(actualRows.isEmpty)
  }

  @Test("A process whose lease has run out delivers no row that still waits, and ends no delivery of another process")
  func late() async throws {
    try await Self.add(2, to: database)
    let (begun, isBegun) = AsyncStream.makeStream(of: Void.self)
    let (gate, opens) = AsyncStream.makeStream(of: Void.self)
    first.register("call") { [taken] payload in
      isBegun.finish()
      for await _ in gate {}
      taken.add(payload)
    }
    second.register("call") { _ in throw Refused() }
    async let drained = first.drain()
    for await _ in begun {}
    clock.advance(by: .seconds(OutboxLease.length))
    let actualDrained = try await second.drain()
    #expect(actualDrained == 2)
    opens.finish()
    let secondDrained = try await drained
    #expect(secondDrained == 1)
    #expect(taken.all == ["0"])
    let attempts = try await rows().map(\.attempts)
    #expect(attempts == [1, 1])
  }

  @Test("A process that stops gives back what it has taken and not delivered")
  func stopped() async throws {
    try await Self.add(3, to: database)
    first.register("call") { [taken] payload in
      try? await gracefulShutdown()
      taken.add(payload)
    }
    second.register("call") { [taken] in taken.add($0) }
    let group = ServiceGroup(
      configuration: ServiceGroupConfiguration(
        services: [first], logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }))
    async let running: Void = group.run()
    let deadline = NamedDeadline("the first row under way")
    while first.state.withLock(\.held).isEmpty { try await deadline.next() }
    await group.triggerGracefulShutdown()
    try await running
    #expect(taken.all == ["0"])
    let drained = try await second.drain()
    #expect(drained == 2)
    #expect(taken.all == ["0", "1", "2"])
  }
}
