import Foundation
import OnsideAPI
import Synchronization
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales

@Suite("What is kept in memory and read again", .timeLimit(.minutes(5)))
struct ReloadTests {
  @Test("STO-7: a reload that read before a revocation does not undo what the revocation's own reload has found")
  func revocation() async throws {
    let store = try await TestStore()
    let (database, clock) = (HeldDatabase(store.core.dependencies.database), store.core.dependencies.clock)
    let (now, account) = (clock.now(), try await store.account())
    try await database.write { connection in
      try connection.execute(
        """
        INSERT INTO sessions(id, account_id, app_id, secret, generation, rotated_at, created_at)
        VALUES ('s', $1, 'a', $2, 1, $3, $3)
        """, [.text(account), .blob([1]), .date(now)])
    }
    let ended = RevokedSessions(database: database, clock: clock)
    database.holdNextRead()
    let older = Task { try await ended.reload() }
    await database.untilHeld()
    try await database.write(at: now) { try SessionRecords.revoke("s", in: $0) }
    try await ended.reload()
    #expect(ended.contains("s"))
    database.letGo()
    try await older.value
    #expect(ended.contains("s"))
  }

  @Test("What another process changed between the start and the first look is taken over")
  func beforeTheFirstLook() async throws {
    let store = try await TestStore()
    let other = try await TestStore(in: store.folder, clock: store.clock)
    try await other.core.apps.register(TestShop.app)
    #expect(store.core.apps.app(TestShop.app.id) == nil)
    try await store.core.externalChanges.look()
    #expect(store.core.apps.app(TestShop.app.id) != nil)
  }
}

/// A database one of whose reads ends late: it reads at once, and answers when it is let go.
private final class HeldDatabase: ForwardingDatabase {
  let base: any Database
  private let isHolding = Mutex(false)
  private let held = AsyncStream.makeStream(of: Void.self)
  private let gate = AsyncStream.makeStream(of: Void.self)

  init(_ base: any Database) { self.base = base }

  func holdNextRead() { isHolding.withLock { $0 = true } }
  func untilHeld() async { for await _ in held.stream { break } }
  func letGo() { gate.continuation.finish() }

  func read<T: Sendable>(_ body: @escaping @Sendable (any SQLConnection) throws -> T) async throws -> T {
    let result = try await base.read(body)
    let isHeld = isHolding.withLock { isHolding in
      defer { isHolding = false }
      return isHolding
    }
    if isHeld {
      held.continuation.yield()
      for await _ in gate.stream {}
    }
    return result
  }
}
