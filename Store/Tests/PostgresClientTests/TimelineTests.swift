import Foundation
import PostgresClient
import StoreTestSupport
import Testing

@Suite("A primary that was replaced and comes back", .timeLimit(.minutes(5)))
struct TimelineTests {
  /// Two servers that both take themselves for the primary; the second one was promoted.
  private struct Cluster {
    let old: PostgresServer
    let new: PostgresServer

    init() async throws {
      old = try await SharedPostgresServer.server
      new = try await PostgresServer(flushes: false, timeline: 5)
    }

    func address(_ servers: PostgresServer...) throws -> PostgresAddress {
      let folders = servers.map(\.socketFolder).joined(separator: ",")
      return try PostgresAddress("postgres:///postgres?host=\(folders)&user=\(PostgresServer.user)")
    }
  }

  private static let socket = "SELECT current_setting('unix_socket_directories')"

  private func place(_ pool: PostgresPool) async throws -> PostgresValue? {
    try await pool.run { try $0.value(Self.socket) }
  }

  @Test("STO-12: is not read any more once the process knows the new one, also on connections that are open")
  func replaced() async throws {
    let cluster = try await Cluster()
    let timeline = PostgresTimeline()
    let readers = PostgresPool(try cluster.address(cluster.old, cluster.new), timeline: timeline)
    let actualPlace = try await place(readers)
    #expect(actualPlace == .text(cluster.old.socketFolder))
    let writer = PostgresPool(try cluster.address(cluster.new), timeline: timeline)
    let secondPlace = try await place(writer)
    #expect(secondPlace == .text(cluster.new.socketFolder))
    let thirdPlace = try await place(readers)
    #expect(thirdPlace == .text(cluster.new.socketFolder))
    await readers.close()
    await writer.close()
  }

  @Test("STO-12: is refused as read-only when the new one does not answer")
  func alone() async throws {
    let cluster = try await Cluster()
    let timeline = PostgresTimeline()
    let writer = PostgresPool(try cluster.address(cluster.new), timeline: timeline)
    _ = try await place(writer)
    let readers = PostgresPool(try cluster.address(cluster.old), timeline: timeline)
    let error = await #expect(throws: PostgresError.self) { try await place(readers) }
    #expect(error?.kind == .readOnly)
    #expect(error?.message.contains("expected the timeline 5 or a later one") ?? false)
    await readers.close()
    await writer.close()
  }

  @Test("STO-12: is not listened to any more once the process knows the new one, which is told what there is to tell")
  func heard() async throws {
    let cluster = try await Cluster()
    let timeline = PostgresTimeline()
    let (here, elsewhere) = (RecordedChannel(), RecordedChannel())
    let listener = PostgresListener(
      try cluster.address(cluster.old, cluster.new), channel: "timelines", timeline: timeline, client: here)
    let other = PostgresListener(try cluster.address(cluster.new), channel: "timelines", client: elsewhere)
    for (listener, channel) in [(listener, here), (other, elsewhere)] {
      listener.start()
      await channel.listened()
    }
    let writer = PostgresPool(try cluster.address(cluster.new), timeline: timeline)
    _ = try await place(writer)
    here.send("paid")
    listener.start()
    let received = await elsewhere.received()
    #expect(received == "paid")
    await here.listened()
    for listener in [listener, other] { await listener.close() }
    await writer.close()
  }

  @Test("is the primary to a process that has met no other one")
  func unknown() async throws {
    let pool = PostgresPool(try await TestDatabase().address, timeline: PostgresTimeline())
    _ = try await place(pool)
    await pool.close()
  }
}
