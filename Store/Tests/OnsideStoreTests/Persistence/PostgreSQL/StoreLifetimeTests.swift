import StoreBaseTestSupport
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase

@Suite("A store on PostgreSQL that is let go", .timeLimit(.minutes(2)))
struct StoreLifetimeTests {
  /// Its services, without holding them.
  private struct Held {
    weak var database: PostgresDatabase?
    weak var caches: Caches?
  }

  @Test("is held by none of its connections' threads, whatever they did last")
  func released() async throws {
    var held = Held()
    do {
      let store = try await TestStore(database: try await PostgresTestDatabase().open(Migration.all))
      try await store.shop { shopper in
        _ = try await shopper.order("coins")
        _ = try await shopper.get("/v1/sync")
      }
      held.database = store.core.dependencies.database as? PostgresDatabase
      held.caches = store.core.caches
      #expect(held.database != nil)
    }
    let deadline = NamedDeadline("the end of a store that no one holds")
    while held.database != nil || held.caches != nil { try await deadline.next(in: .milliseconds(20)) }
  }
}
