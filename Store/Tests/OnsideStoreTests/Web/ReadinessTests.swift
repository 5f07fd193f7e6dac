import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import NIOCore
import OnsideAPI
import StoreTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase

@Suite("Live and ready", .timeLimit(.minutes(5)))
struct ReadinessTests {
  /// The answer of `/health/ready`.
  private struct Report: Decodable {
    struct Part: Decodable {
      var ready: Bool
      var reason: String?
    }

    var status: String
    var parts: [String: Part]

    /// The parts that are not ready, with their reasons.
    var faults: [String: String] { parts.filter { !$0.value.ready }.mapValues { $0.reason ?? "no reason" } }
  }

  private let document: OpenAPIDocument

  init() throws { document = try OpenAPIDocument() }

  /// The parts that are not ready; the answer's status, form and text have to agree.
  private func faults(_ client: any TestClientProtocol) async throws -> [String: String] {
    let answer = try await client.execute(uri: "/health/ready", method: .get) { $0 }
    let report = try JSONDecoder().decode(Report.self, from: Data(answer.body.readableBytesView))
    #expect(document.faults(answer, to: .ready) == [])
    #expect(answer.headers[.cacheControl] == "no-store")
    #expect(answer.status == (report.faults.isEmpty ? .ok : .serviceUnavailable))
    #expect(report.status == (report.faults.isEmpty ? "ready" : "not_ready"))
    return report.faults
  }

  @Test("A store that can sell is live and ready, also to a question in HTTP/1.0")
  func ready() async throws {
    let store = try await TestStore()
    try await store.test { client in
      let actualFaults = try await faults(client)
      #expect(actualFaults == [:])
      let live = try await client.execute(uri: "/health/live", method: .get) { $0 }
      #expect(live.status == .ok && String(buffer: live.body) == #"{"status":"live"}"#)
    }
    try await TestStore().live { address in
      for path in ["live", "ready"] {
        let socket = try RawSocket(address)
        socket.send("GET /health/\(path) HTTP/1.0\r\n\r\n")
        let reply = try await socket.receive()
        #expect(reply?.contains(" 200 OK") == true, "\(path)")
      }
    }
  }

  @Test(
    "On a full disk the store is not ready, also after a commit that changes nothing; with room again it is",
    .onSQLite("the test limits the pages of its file"))
  func fullDisk() async throws {
    try await TestStore().shop { shopper in
      let (store, client) = (shopper.store, shopper.client)
      let database = store.core.dependencies.database
      // Free places inside the file would still take a write.
      let pages: Int64 = try await database.write { connection in
        try connection.execute("CREATE TABLE filler(value BLOB)")
        while try connection.row("PRAGMA freelist_count")?.integer("freelist_count") != 0 {
          try connection.execute("INSERT INTO filler VALUES (zeroblob(3000))")
        }
        return try connection.row("PRAGMA page_count")?.integer("page_count") ?? 0
      }
      try await database.write { _ = try $0.rows("PRAGMA max_page_count = \(pages)") }
      let actualFaults = try await faults(client)
      #expect(actualFaults == ["database": "The disk is full."])
      try await database.write { _ = try $0.rows("SELECT 1 AS one") }
      store.advance(by: .seconds(2))
      let secondFaults = try await faults(client)
      #expect(secondFaults == ["database": "The disk is full."])
      try await database.write { _ = try $0.rows("PRAGMA max_page_count = 1000000") }
      store.advance(by: .seconds(2))
      let thirdFaults = try await faults(client)
      #expect(thirdFaults == [:])
      // The live process is not restarted for it.
      let status = try await client.execute(uri: "/health/live", method: .get) { $0.status }
      #expect(status == .ok)
    }
  }

  @Test(
    "A disk that fails after the store was ready is found out by a write, though nothing else writes",
    .onSQLite("the test makes its file's disk fail"))
  func failingDisk() async throws {
    let store = try await TestStore()
    try await store.test { client in
      let actualFaults = try await faults(client)
      #expect(actualFaults == [:])
      let log = try OpenFile(store.folder.file("store.db-wal"))
      try log.refuseWrites()
      store.advance(by: .seconds(6))
      let secondFaults = try await faults(client)
      #expect(secondFaults == ["database": "The disk does not answer."])
      try log.takeWrites()
      store.advance(by: .seconds(2))
      let thirdFaults = try await faults(client)
      #expect(thirdFaults == [:])
    }
  }

  @Test("Commits of the last seconds prove that the disk can be written: no other write is tried")
  func proof() async throws {
    let store = try await TestStore()
    let database = store.core.dependencies.database
    func settle() async throws {
      try await database.write { try StoreSettings(connection: $0).set("number", to: "\(database.writtenCommits)") }
    }
    let proof = WriteProof(database: database, clock: store.clock)
    let failure = await proof.failure()
    #expect(failure == nil)
    for _ in 0..<3 {
      try await settle()
      let commits = database.writtenCommits
      store.advance(by: .seconds(4))
      let failure = await proof.failure()
      #expect(failure == nil)
      #expect(database.writtenCommits == commits)
    }
    let commits = database.writtenCommits
    store.advance(by: .seconds(6))
    let secondFailure = await proof.failure()
    #expect(secondFailure == nil)
    #expect(database.writtenCommits == commits + 1)
  }

  @Test("Many questions at once try one write")
  func oneTrial() async throws {
    let store = try await TestStore()
    let database = store.core.dependencies.database
    let (commits, proof) = (database.writtenCommits, WriteProof(database: database, clock: store.clock))
    await withTaskGroup(of: StorageError?.self) { group in
      for _ in 0..<100 { group.addTask { await proof.failure() } }
      for await failure in group { #expect(failure == nil) }
    }
    #expect(database.writtenCommits == commits + 1)
  }

  @Test("A database that does not answer is told after three seconds")
  func frozenDisk() async throws {
    let store = try await TestStore()
    let (held, begins) = AsyncStream.makeStream(of: Void.self)
    let freed = DispatchSemaphore(value: 0)
    try await store.test { client in
      let writing = Task {
        try await store.core.dependencies.database.once.write { _ in
          begins.yield()
          return freed.wait(timeout: .now() + 120) == .success
        }
      }
      for await _ in held { break }
      async let asked = faults(client)
      // One for the route, and one for the database.
      try await store.deadlines(2)
      store.advance(by: .milliseconds(3500))
      let actualAsked = try await asked
      #expect(actualAsked == ["database": "The database does not answer."])
      freed.signal()
      #expect(try await writing.value)
    }
  }

  @Test("A schema that this program does not know, or that lacks a step, is named")
  func schema() async throws {
    let store = try await TestStore()
    let database = store.core.dependencies.database
    try await store.test { client in
      try await database.write { connection in
        try connection.execute(
          "INSERT INTO schema_migrations(number, name, checksum, applied_at) VALUES (9999, 'later', 'x', 0)")
      }
      let actualFaults = try await faults(client)
      #expect(actualFaults == ["schema": "The database's schema is newer than this program's."])
      try await database.write { try $0.execute("DELETE FROM schema_migrations WHERE number IN (9999, 5)") }
      let secondFaults = try await faults(client)
      #expect(secondFaults == ["schema": "The database's schema is older than this program's."])
    }
  }

  @Test("Without a key that signs the store is not ready")
  func keys() async throws {
    let store = try await TestStore()
    try await store.core.dependencies.database.write {
      try $0.execute("UPDATE signing_keys SET state = 'retired' WHERE state = 'active'")
    }
    try await store.core.reload()
    try await store.test { client in
      let found = try await faults(client)
      #expect(found == ["keys": "There is no active signing key."])
    }
  }

  @Test("Damage that was met once keeps the store from being ready, also when it is not met again")
  func damage() async throws {
    let log = LogRecorder()
    let store = try await TestStore(logger: log.logger)
    let database = store.core.dependencies.database
    try await store.test { client in
      let actualFaults = try await faults(client)
      #expect(actualFaults == [:])
      await #expect(throws: StorageError.self) {
        try await database.read { _ in throw StorageError.damaged("page 7 of /var/lib/onside.sqlite") }
      }
      for _ in 0..<3 {
        let faults = try await faults(client)
        #expect(faults == ["integrity": "The database is damaged. Stop the store and restore a backup."])
      }
    }
    #expect(log.warnings.count { $0 == "the store is not ready" } == 1)
  }

  @Test("STO-10: a store that stops is not ready any more")
  func stopping() async throws {
    let store = try await TestStore()
    try await store.live { address in
      let socket = try RawSocket(address)
      socket.send("GET /health/ready HTTP/1.1\r\nHost: x\r\n\r\n")
      let reply = try await socket.receive()
      #expect(reply?.hasPrefix("HTTP/1.1 200") == true)
    }
    let faults = await store.core.readiness.faults()[.running]
    #expect(faults == "The store is stopping.")
  }
}
