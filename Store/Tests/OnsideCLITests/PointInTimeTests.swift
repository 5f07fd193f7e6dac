#if canImport(PostgresClient)
  import Foundation
  import OnsideAPI
  import OnsideCommerce
  import StoreTestSupport
  import Testing

  /// The recovery that docs/operating.md describes: pgBackRest puts the server back to a moment between two purchases.
  @Suite(
    .timeLimit(.minutes(5)), .enabled(if: ArchivedPostgresServer.isInstalled, "the package pgbackrest is not installed")
  )
  struct PointInTimeTests {
    private let onside: Program

    init() throws { onside = try Program() }

    private func buy(_ client: StoreClient) async throws -> OrderID {
      let id = OrderID(UUID())
      _ = try await client.order(id)
      try await client.pay(id)
      return id
    }

    @Test("STO-2, QUE-16: back to a moment after the backup: what was paid before it is there, and cursors start over")
    func recovers() async throws {
      let shop = try await Shop(onside.folder)
      let server = try await ArchivedPostgresServer()
      let database = ["ONSIDE_DATABASE": server.url]
      let status = try await onside.run("move", "--to", server.url).status
      #expect(status == 0)
      let (first, client) = try await onside.serve(shop, environment: database)
      try await server.backUp()
      // pgBackRest compares whole seconds: the moment has to be in a later one than the backup's end.
      let end = Date.now.timeIntervalSince1970.rounded(.down)
      let deadline = NamedDeadline("the second after the backup")
      while Date.now.timeIntervalSince1970 < end + 2 { try await deadline.next(in: .milliseconds(100)) }
      let kept = try await buy(client)
      // The server's clock is this machine's; a commit after this moment is not restored.
      let moment = Date.now
      let lost = try await buy(client)
      let cursor = try await client.sync().cursor
      await first.stopCleanly()

      try await server.restore(to: moment)
      let renewed = try await onside.run("doctor", "--after-restore", environment: database)
      #expect(renewed.output.contains("cursors: renewed"), "\(renewed)")
      #expect(renewed.output.contains("charges: not suspended"), "\(renewed)")
      #expect(renewed.output.contains("ledger: the books agree"), "\(renewed)")
      let (second, its) = try await onside.serve(shop, environment: database)
      let answer = try await its.sync(cursor)
      #expect(answer.startsOver && answer.orders.map(\.id).contains(kept))
      #expect(!answer.orders.map(\.id).contains(lost))
      let state = try await its.get(kept).state
      #expect(state == .paid)
      _ = try await buy(its)
      await second.stopCleanly()
    }
  }
#endif
