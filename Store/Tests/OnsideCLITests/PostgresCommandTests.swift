import Foundation
import FoundationNetworking
import OnsideStore
import StoreBase
import StoreTestSupport
import Testing

/// The program with its data in a PostgreSQL database.
@Suite(.timeLimit(.minutes(5))) struct PostgresCommandTests {
  private let onside: Program
  private let database: [String: String]

  init() async throws {
    onside = try Program()
    let server = try await SharedPostgresServer.server
    database = ["ONSIDE_DATABASE": server.url(try await server.makeDatabase())]
  }

  @Test("Two stores serve one PostgreSQL database, and commands work on it")
  func serving() async throws {
    let (first, second) = (
      try await onside.serve(environment: database), try await onside.serve(environment: database)
    )
    #expect(first.program.output.contains("database     postgres://"))
    let status = try await onside.run("app", "add", "io.example.a", environment: database).status
    #expect(status == 0)
    let apps = try await onside.run("app", "list", environment: database)
    #expect(apps.output.contains("io.example.a"))
    for store in [first, second] {
      let url = try #require(URL(string: "/health/ready", relativeTo: store.address))
      let (_, response) = try await URLSession.shared.answer(to: URLRequest(url: url))
      #expect((response as? HTTPURLResponse)?.statusCode == 200)
      await store.program.stopCleanly()
    }
    #expect(!FileManager.default.fileExists(atPath: onside.folder.file("onside.sqlite")))
  }

  @Test("Doctor looks at the server in the place of files, and reports a server that does not keep every commit")
  func doctor() async throws {
    _ = try await onside.run("app", "add", "io.example.a", environment: database)
    let outcome = try await onside.run("doctor", environment: database)
    let subjects = outcome.output.split(separator: "\n").compactMap { $0.split(separator: ":").first }
    #expect(
      subjects.filter { !$0.hasPrefix("      ") }.map { $0.dropFirst(6) } == [
        "configuration", "server", "durability", "checksums", "standbys", "ledger", "keys", "apps", "prices", "tax",
        "clock",
        "vault", "outbox", "charges", "owed", "disputes", "receipts", "numbers", "messages", "mail",
      ])
    // The tests' server flushes nothing.
    #expect(outcome.output.contains("FAIL  durability: fsync"))
    #expect(outcome.output.components(separatedBy: "FAIL").count == 2, "\(outcome.output)")
  }

  @Test("A database without tables is refused by what needs a store, and gets tables from what makes one")
  func empty() async throws {
    for command in [["order", "list"], ["doctor"], ["key", "list"]] {
      let outcome = try await onside.run(command, environment: database)
      #expect(outcome.status == 1 && (outcome.output + outcome.errors).contains("it has no tables"), "\(outcome)")
    }
    let status = try await onside.run("app", "add", "io.example.a", environment: database).status
    #expect(status == 0)
    let secondStatus = try await onside.run("order", "list", environment: database).status
    #expect(secondStatus == 0)
  }

  @Test("STO-19: a database without tables beside its guard file is rejected; serve --new makes a new store")
  func guardWithoutTables() async throws {
    let first = try await onside.serve(environment: database).program
    await first.stopCleanly()
    let server = try await SharedPostgresServer.server
    let location = ["ONSIDE_DATABASE": server.url(try await server.makeDatabase()), "ONSIDE_VAULT_GUARD": "guard"]
    try onside.folder.write("guard", text: "")
    for command in [["serve", "--port", "0"], ["app", "add", "io.example.a"]] {
      let rejected = try await onside.run(command, environment: location)
      #expect(rejected.status == 1 && rejected.errors.contains("onside serve --new"), "\(rejected)")
    }
    let occupied = try await onside.run("serve", "--port", "0", "--new", environment: database)
    #expect(occupied.status == 1 && occupied.errors.contains("expected no store at postgres://"), "\(occupied)")
    let new = try await onside.serve(["--new"], environment: location).program
    await new.stopCleanly()
  }

  @Test("Doctor reads the books for as long as it takes, and takes no slow server for damage")
  func slowBooks() async throws {
    _ = try await onside.run("app", "add", "io.example.a", environment: database)
    let location = try #require(database["ONSIDE_DATABASE"].flatMap { DatabaseLocation($0) })
    let other = try location.open(now: Date())
    let (isLocked, locks) = AsyncStream.makeStream(of: Void.self)
    async let holding: Void = other.write { connection in
      try connection.execute("LOCK TABLE ledger IN ACCESS EXCLUSIVE MODE")
      locks.finish()
      // Longer than a statement of a store may take.
      for _ in 0..<2 { try connection.execute("SELECT pg_sleep(6)") }
    }
    for await _ in isLocked {}
    let outcome = try await onside.run("doctor", environment: database)
    try await holding
    await other.close()
    #expect(outcome.output.contains("ok    ledger: "), "\(outcome.output)")
    #expect(!outcome.output.contains("Restore a backup"), "\(outcome.output)")
  }

  @Test("A server that is not there is told as that, without the password")
  func unreachable() async throws {
    let outcome = try await onside.run(
      "serve", environment: ["ONSIDE_DATABASE": "postgres://onside:hush@127.0.0.1:1/store"])
    #expect(outcome.status == 1)
    #expect(outcome.errors.contains("postgres://onside@127.0.0.1:1/store cannot be opened"))
    #expect(!outcome.errors.contains("hush"))
  }
}
