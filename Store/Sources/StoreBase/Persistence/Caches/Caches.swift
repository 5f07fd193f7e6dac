import Synchronization

/// What this process keeps in memory, against what the database has.
package final class Caches: Sendable {
  /// How old the last look may be for what is sold at a price in memory. ``ExternalChanges`` looks each second.
  static let maximumStaleness: Duration = .seconds(1)

  /// How data is read again.
  package typealias Reload = @Sendable () async throws -> Void

  private struct State {
    /// The revisions that memory has at least.
    var known: [CachedData: Int64] = [:]
    /// When the last look began; nil before the first.
    var lookedAt: Duration?
  }

  private let database: any Database
  private let clock: any StoreClock
  private let reloads: [CachedData: Reload]
  private let state = Mutex(State())

  /// - Parameter reloads: one for each ``CachedData``.
  package init(database: any Database, clock: any StoreClock, reloads: [CachedData: Reload]) {
    // Data without one would stay as it was at the start, with a revision that says that it is new.
    precondition(Set(reloads.keys) == Set(CachedData.allCases), "expected a reload for each CachedData")
    self.database = database
    self.clock = clock
    self.reloads = reloads
  }

  /// Reads everything, changed or not.
  package func readAll() async throws { try await look(Set(CachedData.allCases)) }

  /// Reads what any process has changed since the last look, and nothing else.
  package func reloadChanged() async throws { try await look([]) }

  private func look(_ wanted: Set<CachedData>) async throws {
    let start = clock.uptime()
    // Read first: what is changed afterwards has a revision that the next look finds.
    let revisions = try await database.read { try RevisionRecords.all(in: $0) }
    var failure: (any Error)?
    for data in CachedData.allCases {
      guard wanted.contains(data) || state.withLock({ $0.known[data] }) != revisions[data] else { continue }
      do {
        try await reloads[data]?()
        state.withLock { $0.known[data] = revisions[data] }
      } catch {
        // A fault in one must not keep the others old.
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    state.withLock { $0.lookedAt = max(start, $0.lookedAt ?? start) }
  }

  /// Throws ``StaleCache`` when memory may be older than ``maximumStaleness`` and another process has changed the data.
  /// Usually the last look is younger, and this costs no query. In a write it holds until the commit.
  package func requireFresh(_ data: CachedData, in connection: any SQLConnection) throws {
    let (known, lookedAt) = state.withLock { ($0.known[data], $0.lookedAt) }
    if let lookedAt, clock.uptime() - lookedAt <= Self.maximumStaleness { return }
    guard try RevisionRecords.revision(of: data, in: connection) == known else { throw StaleCache() }
  }

  /// Runs what calls ``requireFresh(_:in:)``; again when memory was stale.
  package func retryingIfStale<T: Sendable>(_ body: () async throws -> T) async throws -> T {
    while true {
      do { return try await body() } catch is StaleCache { try await reloadChanged() }
    }
  }
}

/// Another process has changed what is in memory.
struct StaleCache: Error {}
