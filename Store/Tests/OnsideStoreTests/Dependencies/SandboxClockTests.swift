import StoreTestSupport
import Synchronization
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase

@Suite("The sandbox's clock", .timeLimit(.minutes(5)))
struct SandboxClockTests {
  @Test("STO-9: a look at the database that began before the clock was moved does not set it back")
  func overtaken() async throws {
    for engine in TestEngine.allCases {
      let folder = try TemporaryFolder()
      let database = SlowReads(try await engine.open(in: folder))
      let store = try await TestStore(in: folder, database: database)
      let (clock, setting) = (store.core.dependencies.clock, SandboxClockSetting(store.core.dependencies.base))
      try await setting.advance(by: 60)
      let read = database.holdNext()
      async let look: Void = setting.reload()
      for await _ in read { break }
      try await setting.advance(by: 60)
      database.release()
      try await look
      #expect(clock.offsetMilliseconds == 120_000)
      try await setting.reset()
      #expect(clock.offsetMilliseconds == 0)
      await database.close()
    }
  }

  @Test("STO-9: a clock that is moved and cannot be read is moved; one whose move had no answer says so")
  func lostAnswers() async throws {
    let store = try await TestStore()
    func setting(losesWrites: Bool) -> SandboxClockSetting {
      let known = store.core.dependencies
      return SandboxClockSetting(
        StoreDependencies(
          clock: store.clock, database: LostAnswers(base: known.database, losesWrites: losesWrites),
          logger: known.logger, configuration: known.configuration
        ).base)
    }
    let unread = setting(losesWrites: false)
    try await unread.advance(by: 60)
    #expect(unread.dependencies.clock.offsetMilliseconds == 60_000)
    let unknown = setting(losesWrites: true)
    await #expect(throws: SandboxClockError.outcomeUnknown) { try await unknown.advance(by: 60) }
    try await SandboxClockSetting(store.core.dependencies.base).reload()
    #expect(store.core.dependencies.clock.offsetMilliseconds == 120_000)
  }
}

/// A database that cannot be read, and whose writes are committed; at most their answers are lost.
private struct LostAnswers: ForwardingDatabase {
  let base: any Database
  let losesWrites: Bool

  func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
    throw StorageError.unreachable("lost")
  }

  func write<T: Sendable>(
    beside commitHook: (any CommitHook)?, _ body: @escaping @Sendable (any SQLConnection) throws -> T
  ) async throws -> T {
    let value = try await base.write(beside: commitHook, body)
    if losesWrites { throw StorageError.outcomeUnknown("lost") }
    return value
  }
}

/// A database of which one read is answered late.
private final class SlowReads: ForwardingDatabase {
  private struct Held {
    /// Told that the read was made.
    let read: AsyncStream<Void>.Continuation
    let released: AsyncStream<Void>
  }

  let base: any Database
  private let next = Mutex<Held?>(nil)
  private let releases = AsyncStream.makeStream(of: Void.self)

  init(_ base: any Database) { self.base = base }

  /// Holds the answer of the next read; the stream tells when the database has read.
  func holdNext() -> AsyncStream<Void> {
    let read = AsyncStream.makeStream(of: Void.self)
    next.withLock { $0 = Held(read: read.continuation, released: releases.stream) }
    return read.stream
  }

  func release() { releases.continuation.yield() }

  func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
    let held = next.withLock { next in
      defer { next = nil }
      return next
    }
    let value = try await base.read(body)
    if let held {
      held.read.yield()
      for await _ in held.released { break }
    }
    return value
  }
}
