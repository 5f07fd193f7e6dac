import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideStore
import StoreTestSupport
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(5))) struct BackupTests {
  private let onside: Program

  init() throws { onside = try Program() }

  /// What was acknowledged to apps that order without a pause.
  private final class Load: Sendable {
    struct State {
      var ordered: Set<OrderID> = []
      var paid: Set<OrderID> = []
      var waiting: [(count: Int, go: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Mutex(State())

    var acknowledged: (ordered: Set<OrderID>, paid: Set<OrderID>) { state.withLock { ($0.ordered, $0.paid) } }

    /// Returns when so many orders were acknowledged.
    func reaches(_ count: Int) async {
      await withCheckedContinuation { go in
        state.withLock { $0.waiting.append((count, go)) }
        settle()
      }
    }

    func run(_ client: StoreClient) async {
      while !Task.isCancelled {
        let id = OrderID(UUID())
        guard (try? await client.order(id)) != nil else { continue }
        let mustPay = state.withLock { $0.ordered.insert(id).inserted && $0.ordered.count.isMultiple(of: 5) }
        settle()
        guard mustPay, (try? await client.pay(id)) != nil else { continue }
        _ = state.withLock { $0.paid.insert(id) }
      }
    }

    private func settle() {
      let ready = state.withLock { state in
        let count = state.ordered.count
        defer { state.waiting.removeAll { $0.count <= count } }
        return state.waiting.filter { $0.count <= count }
      }
      for waiting in ready { waiting.go.resume() }
    }
  }

  @Test(
    "STO-2, QUE-16: a backup under load, restored, has all that was acknowledged before; books are sound, cursors anew")
  func underLoad() async throws {
    let shop = try await Shop(onside.folder)
    let (program, client) = try await onside.serve(shop)
    let load = Load()
    let apps = (0..<4).map { _ in Task { await load.run(client) } }
    await load.reaches(40)
    let before = load.acknowledged
    let cursor = try await client.sync().cursor
    let backup = try await onside.run("backup", "copy.sqlite")
    #expect(backup.status == 0, "\(backup.errors)")
    await load.reaches(load.acknowledged.ordered.count + 20)
    for app in apps { app.cancel() }
    for app in apps { await app.value }

    let early = try await onside.run("restore", "copy.sqlite")
    #expect(early.status == 1 && early.errors.contains("is in use by another program"), "\(early)")
    await program.stopCleanly()
    let all = Set(try await shop.books().orders.map(\.id))
    #expect(all.isSuperset(of: load.acknowledged.ordered.map(\.description)))

    let restored = try await onside.run("restore", "copy.sqlite")
    #expect(restored.status == 0 && restored.output.contains("Next:"), "\(restored)")
    let books = try await shop.books()
    #expect(Set(books.orders.map(\.id)).isSuperset(of: before.ordered.map(\.description)))
    #expect(Set(books.orders.map(\.id)).isStrictSubset(of: all))
    #expect(before.paid.allSatisfy { books.sales[$0.description] == 1 })
    #expect(books.sales.values.allSatisfy { $0 == 1 })
    #expect(books.faults == [] && books.integrity == "ok")

    let (second, its) = try await onside.serve(shop)
    let answer = try await its.sync(cursor)
    #expect(answer.startsOver && answer.cursor != cursor)
    #expect(Set(answer.orders.map(\.id)).isSuperset(of: before.paid))
    await second.stopCleanly()
    let doctor = try await onside.run("doctor")
    #expect(doctor.status == 0, "\(doctor.output)")
  }

  @Test("STO-10: after a stop the database file alone has everything")
  func stopped() async throws {
    let shop = try await Shop(onside.folder)
    let (program, client) = try await onside.serve(shop)
    let id = OrderID(UUID())
    _ = try await client.order(id)
    await program.stopCleanly()
    let copy = try Program()
    try FileManager.default.copyItem(
      atPath: onside.folder.file("onside.sqlite"), toPath: copy.folder.file("onside.sqlite"))
    let list = try await copy.run("order", "list")
    #expect(list.output.contains(id.description), "\(list)")
  }

  @Test("A command leaves everything in the database file alone, too")
  func afterCommand() async throws {
    _ = try await onside.run("app", "add", "io.example.a")
    let copy = try Program()
    try FileManager.default.copyItem(
      atPath: onside.folder.file("onside.sqlite"), toPath: copy.folder.file("onside.sqlite"))
    let list = try await copy.run("app", "list")
    #expect(list.output.contains("io.example.a"), "\(list)")
  }

  @Test("Backup refuses a file that is there, and says how to replace it")
  func overwriting() async throws {
    _ = try await onside.run("app", "add", "io.example.a")
    try onside.folder.write("copy.sqlite", text: "precious")
    let refused = try await onside.run("backup", "copy.sqlite")
    #expect(refused.status == 1 && refused.errors.contains("--overwrite"), "\(refused)")
    #expect(onside.folder.text("copy.sqlite") == "precious")
    let done = try await onside.run("backup", "copy.sqlite", "--overwrite")
    #expect(done.status == 0 && done.output.hasPrefix("copy.sqlite is a copy of onside.sqlite: schema "), "\(done)")
    let missing = try await onside.run("backup", "other.sqlite", "--database", "none.sqlite")
    #expect(
      missing.status == 1 && missing.errors.contains("expected the store's database at none.sqlite"), "\(missing)")
  }

  /// A file as a program of before the vault left it.
  private func older() async throws -> Data {
    let path = onside.folder.file("onside.sqlite")
    let database = try SQLiteDatabase.open(
      at: path, migrations: Migration.all.filter { $0.number < 90 }, now: SystemClock().now())
    await database.close()
    return try Data(contentsOf: URL(filePath: path))
  }

  @Test("STO-8: no command but migrate changes an older schema, and each says what to do")
  func olderSchema() async throws {
    let before = try await older()
    for command in [["order", "list"], ["app", "add", "io.example.a"], ["doctor"]] {
      let outcome = try await onside.run(command)
      #expect(outcome.status == 1 && (outcome.output + outcome.errors).contains("Run `onside migrate`"), "\(outcome)")
    }
    let status = try await onside.run("backup", "copy.sqlite").status
    #expect(status == 0)
    let data = try Data(contentsOf: URL(filePath: onside.folder.file("onside.sqlite")))
    #expect(data == before)
    let migrated = try await onside.run("migrate")
    #expect(
      migrated.status == 0 && migrated.output.contains("onside.sqlite had schema 86 and has schema "), "\(migrated)")
    let output = try await onside.run("migrate").output
    #expect(output == "onside.sqlite is up to date.\n")
    let secondStatus = try await onside.run("order", "list").status
    #expect(secondStatus == 0)
    let secondOutput = try await onside.run("restore", "copy.sqlite").output
    #expect(secondOutput.contains("which brings the older schema forward"))
  }

  @Test("STO-8: serve brings an older schema forward, and says so in its start text and its log")
  func serveMigrates() async throws {
    _ = try await older()
    let program = try onside.launch(["serve", "--port", "0"])
    let line = try await program.line(after: "schema       ")
    #expect(line?.hasSuffix(", brought forward from 86") == true, "\(program.errors)")
    await program.stopCleanly()
    #expect(program.errors.contains("the database's schema was brought forward"))
  }
}
