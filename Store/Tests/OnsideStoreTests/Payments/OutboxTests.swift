import Foundation
import Logging
import StoreBaseTestSupport
import StoreTestSupport
import Synchronization
import Testing

@testable import OnsideStore
@testable import StoreBase

@Suite("Outbox", .timeLimit(.minutes(5)))
struct OutboxTests {
  private static let now = Date(timeIntervalSince1970: 1_780_000_000)

  private let folder: TemporaryFolder
  private let clock = ManualClock(OutboxTests.now)
  private let database: UnsteadyDatabase
  private let outbox: Outbox
  private let taken = Lines()

  init() throws {
    folder = try TemporaryFolder()
    database = UnsteadyDatabase(try SQLiteDatabase.open(at: folder.file("store.db"), now: Self.now))
    outbox = Outbox(
      StoreDependencies(
        clock: clock, database: database, logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
      ).base, isSuspended: { _, _ in false })
  }

  private func add(_ kind: String, count: Int = 1) async throws {
    try await database.write(at: Self.now) { transaction in
      for number in 0..<count {
        try OutboxRecords().add(kind, payload: "\(kind) \(number)", due: Self.now, in: transaction)
      }
    }
  }

  private func standing() async throws -> OutboxStatus {
    try await database.read { [outbox, clock] in
      try OutboxRecords().status(known: outbox.kinds, at: clock.now(), in: $0)
    }
  }

  private struct Refused: Error {}

  @Test("Outbox rows of a kind without a handler stay, and delay no other rows")
  func unknownKind() async throws {
    try await add("of another version", count: 120)
    try await add("known")
    outbox.register("known") { [taken] in taken.add($0) }
    let drained = try await outbox.drain()
    #expect(drained == 1)
    #expect(taken.all == ["known 0"])
    let standing = try await standing()
    #expect(standing.waiting == 120 && standing.unknownKinds == ["of another version"])
  }

  @Test("A receiver that takes long holds up no other kind")
  func slowKind() async throws {
    try await add("a slow one")
    try await add("quick")
    let (quick, isTaken) = AsyncStream.makeStream(of: Void.self)
    outbox.register("a slow one") { [taken] in
      for await _ in quick {}
      taken.add($0)
    }
    outbox.register("quick") { [taken] in
      taken.add($0)
      isTaken.finish()
    }
    let drained = try await outbox.drain()
    #expect(drained == 2)
    #expect(taken.all == ["quick 0", "a slow one 0"])
  }

  @Test("While nothing can be written the outbox rests, and afterwards it repeats nothing")
  func fullDisk() async throws {
    try await add("known", count: 120)
    // The disk fills up while the first row is delivered, and only then.
    let isFirst = Mutex(true)
    outbox.register("known") { [taken, database] payload in
      taken.add(payload)
      let fills = isFirst.withLock { isFirst in
        defer { isFirst = false }
        return isFirst
      }
      if fills { database.isFull.withLock { $0 = true } }
    }
    for _ in 0..<10 {
      let drained = try await outbox.drain()
      #expect(drained <= 1)
    }
    #expect(taken.all.count == 1)
    clock.advance(by: .seconds(2))
    try await outbox.drain()
    #expect(taken.all.count == 1)
    database.isFull.withLock { $0 = false }
    clock.advance(by: .seconds(60))
    try await outbox.drain()
    #expect(taken.all.count == 120 && Set(taken.all).count == 120)
    let waiting = try await standing().waiting
    #expect(waiting == 0)
  }

  @Test("A delivery that fails for two days is tried each hour, and then delivered")
  func failing() async throws {
    try await add("known")
    let isWell = Mutex(false)
    let tries = Mutex(0)
    outbox.register("known") { [taken] payload in
      tries.withLock { $0 += 1 }
      guard isWell.withLock({ $0 }) else { throw Refused() }
      taken.add(payload)
    }
    for _ in 0..<23 {
      try await outbox.drain()
      clock.advance(by: .seconds(3600))
    }
    let ofFirstDay = try await standing()
    #expect(ofFirstDay.failing == 1 && ofFirstDay.failingForADay.isEmpty)
    for _ in 0..<30 {
      try await outbox.drain()
      clock.advance(by: .seconds(3600))
    }
    let ofSecondDay = try await standing()
    #expect(ofSecondDay.failingForADay == ["known": 1] && ofSecondDay.waiting == 1)
    #expect(tries.withLock { $0 } == 53)
    let row = try #require(try await database.read { try OutboxRecords().all(limit: 10, in: $0) }.first)
    #expect(row.failingSince == Self.now && row.error?.hasSuffix("Refused") == true)
    isWell.withLock { $0 = true }
    try await outbox.drain()
    #expect(taken.all == ["known 0"])
  }

  @Test("A retry makes failing deliveries due at once, and keeps the date of their first failure")
  func retry() async throws {
    try await add("known")
    try await database.write(at: clock.now()) { transaction in
      _ = try OutboxRecords().add("known", payload: "later", due: transaction.now + 7200, in: transaction)
    }
    let isWell = Mutex(false)
    outbox.register("known") { [taken] payload in
      guard isWell.withLock({ $0 }) else { throw Refused() }
      taken.add(payload)
    }
    for seconds in [1, 5, 30, 120, 600, 1] {
      try await outbox.drain()
      clock.advance(by: .seconds(seconds))
    }
    isWell.withLock { $0 = true }
    try await outbox.drain()
    #expect(taken.all.isEmpty, "the next try is in an hour")
    let retried = try await database.write(at: clock.now()) { try OutboxRecords().retryFailing(in: $0) }
    #expect(retried == 1)
    let row = try #require(try await database.read { try OutboxRecords().all(limit: 10, in: $0) }.first)
    #expect(row.failingSince == Self.now && row.attempts == 6)
    try await outbox.drain()
    #expect(taken.all == ["known 0"])
  }

  @Test("A delivery that has not failed overtakes failing deliveries that became due before it")
  func order() async throws {
    try await add("known", count: 60)
    let isWell = Mutex(false)
    outbox.register("known") { [taken] payload in
      guard isWell.withLock({ $0 }) else { throw Refused() }
      taken.add(payload)
    }
    try await outbox.drain()
    clock.advance(by: .seconds(60))
    try await database.write(at: clock.now()) { transaction in
      _ = try OutboxRecords().add("known", payload: "new", due: transaction.now, in: transaction)
    }
    isWell.withLock { $0 = true }
    try await outbox.drain()
    #expect(taken.all.count == 61 && taken.all.first == "new")
  }

  @Test("A receiver gets as many rows at a time as it takes, and no more")
  func concurrency() async throws {
    try await add("known", count: 120)
    let atWork = Mutex((now: 0, most: 0))
    let (arrivals, arrived) = AsyncStream.makeStream(of: Void.self)
    let gate = Mutex<[CheckedContinuation<Void, Never>]>([])
    outbox.register("known", concurrency: 4) { [taken] payload in
      atWork.withLock { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
      await withCheckedContinuation { waiting in
        gate.withLock { $0.append(waiting) }
        arrived.yield()
      }
      taken.add(payload)
      atWork.withLock { $0.now -= 1 }
    }
    async let tried = outbox.drain()
    var count = 0
    for await _ in arrivals {
      count += 1
      // Four are at work before the first may go on; the last of a batch come in fewer.
      if count < 4 { continue }
      for waiting in gate.withLock({ all in
        defer { all = [] }
        return all
      }) { waiting.resume() }
      if count == 120 { break }
    }
    let actualTried = try await tried
    #expect(actualTried == 120)
    #expect(atWork.withLock { $0.most } == 4)
    #expect(taken.all.count == 120 && Set(taken.all).count == 120)
  }

  private struct TooMany: RetryAfterError {
    let retryAfter: Duration? = .seconds(7)
  }

  @Test("A receiver that says when to come again is left alone until then, with all that waits for it")
  func retryAfter() async throws {
    try await add("known", count: 20)
    let calls = Mutex(0)
    outbox.register("known") { [taken] payload in
      let call = calls.withLock { calls in
        calls += 1
        return calls
      }
      if call == 3 { throw TooMany() }
      taken.add(payload)
    }
    let drained = try await outbox.drain()
    #expect(drained == 3)
    let refused = try await database.read { try OutboxRecords().all(limit: 50, in: $0) }.filter { $0.attempts > 0 }
    #expect(refused.map(\.dueAt) == [Self.now + 7])
    clock.advance(by: .seconds(6))
    let secondDrained = try await outbox.drain()
    #expect(secondDrained == 0)
    clock.advance(by: .seconds(1))
    let thirdDrained = try await outbox.drain()
    #expect(thirdDrained == 18)
    #expect(Set(taken.all).count == 20 && taken.all.count == 20)
    let waiting = try await standing().waiting
    #expect(waiting == 0)
  }

  @Test("Of two waits that a receiver asks for the longer one counts; a row's own longest delay still holds")
  func longerWait() async throws {
    try await add("known", count: 2)
    let waits = Mutex<[Duration]>([.seconds(40), .seconds(1)])
    let (bothBegan, began) = AsyncStream.makeStream(of: Never.self)
    outbox.register("known", longestDelay: 20, concurrency: 2) { _ in
      let (wait, left) = waits.withLock { ($0.popLast(), $0.count) }
      // The one that ends first would hold the other back.
      if left == 0 { began.finish() }
      for await _ in bothBegan {}
      if let wait { throw Wait(retryAfter: wait) }
    }
    let drained = try await outbox.drain()
    #expect(drained == 2)
    let due = try await database.read { try OutboxRecords().all(limit: 50, in: $0) }.map(\.dueAt)
    #expect(due == [Self.now + 1, Self.now + 20])
    clock.advance(by: .seconds(19))
    let secondDrained = try await outbox.drain()
    #expect(secondDrained == 0)
    clock.advance(by: .seconds(1))
    let thirdDrained = try await outbox.drain()
    #expect(thirdDrained == 2)
  }

  private struct Wait: RetryAfterError {
    let retryAfter: Duration?
  }
}

/// A database that can simulate a full disk.
private final class UnsteadyDatabase: ForwardingDatabase {
  let isFull = Mutex(false)
  let base: any Database

  init(_ base: any Database) { self.base = base }

  func write<T: Sendable>(
    beside commitHook: (any CommitHook)?, _ body: @escaping @Sendable (any SQLConnection) throws -> T
  ) async throws -> T {
    if isFull.withLock({ $0 }) { throw StorageError.full }
    return try await base.write(beside: commitHook, body)
  }
}
