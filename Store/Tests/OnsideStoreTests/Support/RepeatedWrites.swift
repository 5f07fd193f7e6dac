@testable import OnsideStore
@testable import StoreBase

/// A database that runs each write twice: the first run is rolled back, as when PostgreSQL loses the connection before
/// the commit. What a closure keeps outside of the connection shows as a fault of the test.
struct RepeatedWrites: ForwardingDatabase {
  let base: any Database

  private struct FirstRun: Error {}

  func write<T: Sendable>(
    beside commitHook: (any CommitHook)?, _ body: @escaping @Sendable (any SQLConnection) throws -> T
  ) async throws -> T {
    do {
      try await base.write(beside: nil) { connection in
        _ = try body(connection)
        throw FirstRun()
      }
    } catch is FirstRun {}
    return try await base.write(beside: commitHook, body)
  }
}

extension Database {
  /// The database that runs each write once: for a write that the test holds up.
  var once: any Database { (self as? RepeatedWrites)?.base ?? self }
}
