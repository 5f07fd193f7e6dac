import Foundation
import GRDB
import StoreTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct DoctorTests {
  private let onside: Program

  init() throws { onside = try Program() }

  @Test("Doctor finds nothing wrong with a store as it is made")
  func healthy() async throws {
    _ = try await onside.run("app", "add", "io.example.a")
    let outcome = try await onside.run("doctor")
    #expect(outcome.status == 0, "\(outcome.output)")
    let subjects = outcome.output.split(separator: "\n").compactMap { $0.split(separator: ":").first }
    #expect(
      subjects.map { $0.dropFirst(6) } == [
        "configuration", "file", "folder", "disk", "integrity", "durability", "ledger", "keys", "apps", "prices", "tax",
        "clock",
        "vault", "outbox", "charges", "owed", "disputes", "receipts", "numbers", "messages", "mail",
      ])
    #expect(!outcome.output.contains("FAIL"))
  }

  @Test("Doctor reports a file that others can read, and says how to close it")
  func permissions() async throws {
    _ = try await onside.run("app", "add", "io.example.a")
    chmod(onside.folder.file("onside.sqlite"), 0o644)
    let outcome = try await onside.run("doctor")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("FAIL  file: onside.sqlite has mode 644"))
    #expect(outcome.output.contains("chmod 600 onside.sqlite"))
  }

  @Test("Doctor and serve report a damaged database, and neither touches it")
  func damaged() async throws {
    _ = try await onside.run("app", "add", "io.example.a")
    let path = onside.folder.file("onside.sqlite")
    let queue = try DatabaseQueue(path: path)
    try await queue.writeWithoutTransaction { try $0.execute(sql: "PRAGMA wal_checkpoint(TRUNCATE)") }
    try queue.close()
    var bytes = try Data(contentsOf: URL(filePath: path))
    for index in stride(from: 4096, to: bytes.count, by: 4096) { bytes[index] = 0xff }
    try bytes.write(to: URL(filePath: path))
    let outcome = try await onside.run("doctor")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("FAIL  database: The database onside.sqlite is damaged"))
    let serving = try await onside.run("serve", "--port", "0")
    #expect(serving.status == 1)
    #expect(serving.errors.contains("The database onside.sqlite is damaged"))
    let data = try Data(contentsOf: URL(filePath: path))
    #expect(data == bytes)
  }

  @Test("STO-19: doctor finds an index that disagrees with its table, and changes no byte of the file")
  func damagedIndex() async throws {
    _ = try await onside.run("app", "add", "io.example.a")
    let path = onside.folder.file("onside.sqlite")
    let queue = try DatabaseQueue(path: path)
    try await queue.writeWithoutTransaction {
      try $0.execute(
        sql: """
          CREATE INDEX apps_again ON apps(id);
          PRAGMA writable_schema = ON;
          UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'settings')
          WHERE name = 'apps_again';
          PRAGMA wal_checkpoint(TRUNCATE);
          """)
    }
    try queue.close()
    let bytes = try Data(contentsOf: URL(filePath: path))
    let outcome = try await onside.run("doctor")
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("FAIL  database: The database onside.sqlite is damaged"), "\(outcome)")
    let data = try Data(contentsOf: URL(filePath: path))
    #expect(data == bytes)
  }

  @Test("After a restore doctor makes every device start over; without being asked it does not")
  func afterRestore() async throws {
    _ = try await onside.run("app", "add", "io.example.a")
    let queue = try DatabaseQueue(path: onside.folder.file("onside.sqlite"))
    func epoch() async throws -> String? {
      try await queue.read { try String.fetchOne($0, sql: "SELECT value FROM settings WHERE name = 'sync_epoch'") }
    }
    let first = try #require(try await epoch())
    let status = try await onside.run("doctor").status
    #expect(status == 0)
    let actualEpoch = try await epoch()
    #expect(actualEpoch == first)
    let outcome = try await onside.run("doctor", "--after-restore")
    #expect(outcome.status == 1 && outcome.output.contains("ok    cursors: renewed"), "\(outcome)")
    #expect(outcome.output.contains("FAIL  charges: suspended"))
    let secondEpoch = try await epoch()
    #expect(secondEpoch != first)
  }

  @Test("QUE-16: after a restore doctor makes devices start over whatever else is wrong, and says when it did not")
  func afterRestoreWithFaults() async throws {
    _ = try await onside.run("app", "add", "io.example.a")
    let path = onside.folder.file("onside.sqlite")
    let queue = try DatabaseQueue(path: path)
    func current() async throws -> String? {
      try await queue.read { try String.fetchOne($0, sql: "SELECT value FROM settings WHERE name = 'sync_epoch'") }
    }
    var known: Set<String?> = [try await current()]
    chmod(path, 0o644)
    let faults = [["ONSIDE_ENVIRONMENT": "production"], [:]]
    for environment in faults {
      let outcome = try await onside.run("doctor", "--after-restore", environment: environment)
      #expect(outcome.status == 1 && outcome.output.contains("ok    cursors: renewed"), "\(outcome)")
      let epoch = try await current()
      #expect(!known.contains(epoch))
      known.insert(epoch)
    }
    for environment in [["ONSIDE_PORT": "many"], ["ONSIDE_DATABASE": "none.sqlite"]] {
      let outcome = try await onside.run("doctor", "--after-restore", environment: environment)
      #expect(outcome.status == 1 && outcome.output.contains("FAIL  cursors: not renewed"), "\(outcome)")
    }
  }

  @Test("Doctor reports a configuration that cannot be used")
  func configuration() async throws {
    let outcome = try await onside.run("doctor", environment: ["ONSIDE_PORT": "many"])
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("FAIL  configuration: ONSIDE_PORT: port should be a whole number"))
  }

  @Test("Doctor says what a sender misses, and what it cannot reach, and shows no secret")
  func senders() async throws {
    _ = try await onside.run("app", "add", "io.example.a")
    let half = try await onside.run("doctor", environment: ["ONSIDE_MESSAGES_SENDER": "kannel"])
    #expect(half.status == 1)
    #expect(half.output.contains("FAIL  configuration: messages.url is needed: messages.sender is \"kannel\""))
    let deaf = try await onside.run(
      "doctor",
      environment: [
        "ONSIDE_MESSAGES_SENDER": "kannel", "ONSIDE_MESSAGES_URL": "http://127.0.0.1:1/cgi-bin/sendsms",
        "ONSIDE_MESSAGES_USER": "onside", "ONSIDE_MESSAGES_PASSWORD": "hush",
        "ONSIDE_MAIL_SENDER": "smtp", "ONSIDE_MAIL_HOST": "127.0.0.1", "ONSIDE_MAIL_PORT": "1",
        "ONSIDE_MAIL_FROM": "codes@store.example",
      ])
    #expect(deaf.status == 1)
    #expect(
      deaf.output.contains("FAIL  messages: expected the message gateway to accept a connection"), "\(deaf.output)")
    #expect(deaf.output.contains("FAIL  mail: expected a mail server at 127.0.0.1:1"), "\(deaf.output)")
    #expect(!(deaf.output + deaf.errors).contains("hush"))
  }

  @Test("Doctor says which OpenID provider does not answer, and shows no secret")
  func providers() async throws {
    _ = try await onside.run("app", "add", "io.example.a")
    let outcome = try await onside.run(
      "doctor",
      environment: [
        "ONSIDE_OPENID_EXAMPLE_NAME": "Example ID", "ONSIDE_OPENID_EXAMPLE_ISSUER": "http://127.0.0.1:1",
        "ONSIDE_OPENID_EXAMPLE_CLIENT_ID": "store", "ONSIDE_OPENID_EXAMPLE_CLIENT_SECRET": "hush",
      ])
    #expect(outcome.status == 1)
    #expect(outcome.output.contains("FAIL  openid.example: expected an answer of the provider"), "\(outcome.output)")
    #expect(!(outcome.output + outcome.errors).contains("hush"))
  }
}
