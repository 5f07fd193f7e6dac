package import StoreBase
package import StoreWeb

/// The feed of an app's events: pages in the order of their numbers, with long polls.
package struct EventFeed: Sendable {
  /// The most waiting polls of an app. A merchant may run dozens of servers, each with a poll of its own; a device has
  /// few, which `limits.waiting_polls_per_account` limits.
  package static let waitingPolls = 64

  private let database: any Database
  private let clock: any StoreClock
  /// The waiting polls, by app, with the newest number that they have looked at.
  package let polls: PollHub<String, Int64>

  package init(_ dependencies: BaseDependencies, polls: PollHub<String, Int64>) {
    database = dependencies.database
    clock = dependencies.clock
    self.polls = polls
  }

  /// The next page of a feed. If it has no events, the answer waits for one of the query's types until the time is up.
  package func page(_ query: FeedQuery) async throws -> FeedPage {
    let deadline = clock.uptime() + query.wait
    var query = query
    while true {
      let place = polls.subscribe(query.app)
      defer { polls.unsubscribe(place) }
      let page = try await read(query)
      let time = deadline - clock.uptime()
      guard page.events.isEmpty, page.isAtEnd, !page.startsOver, time > .zero else { return page }
      query.after = page.cursor
      guard await polls.wait(place, since: page.cursor?.number, upTo: time) else { return try await read(query) }
    }
  }

  /// Wakes the polls of apps with newer events than they have looked at. Another process may have numbered them.
  package func wakeOutdated() async throws {
    let waiting = polls.waiting
    guard !waiting.isEmpty else { return }
    let newest = try await database.read { try EventNumberRecords.newest(of: Array(waiting.keys), in: $0) }
    polls.wake(
      waiting.compactMap { app, marks in
        marks.contains { ($0 ?? 0) < newest[app] ?? 0 } ? app : nil
      })
  }

  /// Wakes every poll. Later polls do not wait: the store is stopping.
  package func close() { polls.close() }

  private func read(_ query: FeedQuery) async throws -> FeedPage {
    try await database.read { connection in
      var start = query.after
      if let after = start, try !FeedRecords.isKnown(after, of: query.app, in: connection) { start = nil }
      var page = try FeedRecords.page(after: start?.number ?? 0, of: query, in: connection)
      page.startsOver = start != query.after
      if page.cursor == nil { page.cursor = start }
      return page
    }
  }
}
