#if canImport(PostgresClient)
  import Foundation
  import OnsideAPI
  import OnsideCommerce
  import OnsideStore
  import StoreTestSupport
  import Testing

  /// The commands that move a store to PostgreSQL, copy it there, and put copies back.
  @Suite(.timeLimit(.minutes(5))) struct MoveCommandTests {
    private let onside: Program
    private let url: String
    private let shop: Shop

    init() async throws {
      onside = try Program()
      url = try await Self.database()
      shop = try await Shop(onside.folder)
    }

    /// The address of an empty database, with a password.
    private static func database() async throws -> String {
      let server = try await SharedPostgresServer.server
      return try await server.url(server.makeDatabase()).replacing("onside@", with: "onside:s3cret@")
    }

    @Test("STO-8, QUE-16: a moved store goes on with its tokens and cursors; commands on the old file say where it is")
    func moves() async throws {
      let (first, client) = try await onside.serve(shop)
      let (before, after) = (OrderID(UUID()), OrderID(UUID()))
      _ = try await client.order(before)
      try await client.pay(before)
      let cursor = try await client.sync().cursor
      let early = try await onside.run("move", "--to", url)
      #expect(early.status == 1 && early.errors.contains("is in use by another program"), "\(early)")
      let rehearsal = try await onside.run("move", "--to", url, "--rehearse")
      #expect(rehearsal.status == 0 && rehearsal.output.contains("is not marked"), "\(rehearsal)")
      await first.stopCleanly()
      let moved = try await onside.run("move", "--to", url)
      #expect(moved.status == 0 && moved.output.contains("orders: 1 rows"), "\(moved)")
      #expect(moved.output.contains("vault.guard to onside.vault-guard"))

      for command in [["serve", "--port", "0"], ["order", "list"], ["backup", "copy"], ["doctor"], ["migrate"]] {
        let refused = try await onside.run(command)
        let text = refused.output + refused.errors
        #expect(refused.status == 1 && text.contains("was moved to postgres://onside@"), "\(refused)")
        #expect(!text.contains("s3cret"))
      }
      let status = try await onside.run("move", "--to", url).status
      #expect(status == 0, "a move that has ended may be repeated")

      let resumed = try await onside.run("resume-charges", environment: ["ONSIDE_DATABASE": url])
      #expect(resumed.output.hasPrefix("Charges go on."), "\(resumed)")
      let (second, its) = try await onside.serve(shop, environment: ["ONSIDE_DATABASE": url])
      let orders = try await its.sync(cursor).orders
      #expect(orders.isEmpty)
      _ = try await its.order(after)
      try await its.pay(after)
      let answer = try await its.sync(cursor)
      #expect(!answer.startsOver && answer.orders.map(\.id) == [after])
      let id = try await its.get(before).id
      #expect(id == before)
      await second.stopCleanly()
    }

    @Test("A copy of a PostgreSQL store is put into an empty database, and devices start over")
    func backsUp() async throws {
      let status = try await onside.run("move", "--to", url).status
      #expect(status == 0)
      let (first, client) = try await onside.serve(shop, environment: ["ONSIDE_DATABASE": url])
      let order = OrderID(UUID())
      _ = try await client.order(order)
      let cursor = try await client.sync().cursor
      let backup = try await onside.run("backup", "copy.dump", environment: ["ONSIDE_DATABASE": url])
      #expect(backup.status == 0 && backup.output.contains("copy.dump is a copy of postgres://onside@"), "\(backup)")
      let refused = try await onside.run("restore", "copy.dump", environment: ["ONSIDE_DATABASE": url])
      #expect(refused.status == 1 && refused.errors.contains("to be an empty database"), "\(refused)")
      await first.stopCleanly()

      let target = try await Self.database()
      let restored = try await onside.run("restore", "copy.dump", environment: ["ONSIDE_DATABASE": target])
      #expect(restored.status == 0 && restored.output.contains("Every device starts over"), "\(restored)")
      let (second, its) = try await onside.serve(shop, environment: ["ONSIDE_DATABASE": target])
      let answer = try await its.sync(cursor)
      #expect(answer.startsOver)
      let id = try await its.get(order).id
      #expect(id == order)
      let renewed = try await onside.run("doctor", "--after-restore", environment: ["ONSIDE_DATABASE": target])
      #expect(renewed.output.contains("cursors: renewed"), "\(renewed)")
      #expect(try await its.sync(answer.cursor).startsOver)
      await second.stopCleanly()
      for outcome in [backup, refused, restored, renewed] {
        #expect(!(outcome.output + outcome.errors).contains("s3cret"))
      }
    }
  }
#endif
