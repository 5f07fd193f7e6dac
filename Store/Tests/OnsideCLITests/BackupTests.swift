import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideStore
import StoreBase
import StoreSales
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
    #expect(
      doctor.output.components(separatedBy: "FAIL").count == 2 && doctor.output.contains("FAIL  charges: "), "\(doctor)"
    )
  }

  @Test("PAY-8: serve and doctor report that a restored store's charges are suspended, until resume-charges")
  func suspendedCharges() async throws {
    let shop = try await Shop(onside.folder)
    let (first, _) = try await onside.serve(shop)
    await first.stopCleanly()
    let healthy = try await onside.run("doctor")
    #expect(healthy.status == 0 && healthy.output.contains("ok    charges: not suspended"), "\(healthy)")
    let saved = try await onside.run("backup", "copy.sqlite").status
    #expect(saved == 0)
    let restored = try await onside.run("restore", "copy.sqlite")
    #expect(restored.status == 0 && restored.output.contains("onside resume-charges"), "\(restored)")
    let (second, _) = try await onside.serve(shop)
    let line = try await second.line(after: "charges      ")
    #expect(line == "suspended: this database was restored, moved or copied; see onside doctor")
    let doctor = try await onside.run("doctor")
    #expect(doctor.status == 1 && doctor.output.contains("FAIL  charges: suspended"), "\(doctor)")
    let resumed = try await onside.run("resume-charges")
    #expect(resumed.output == "Charges go on. Deliveries that waited: none.\n" && resumed.status == 0)
    let again = try await onside.run("resume-charges")
    #expect(again.output == "Charges were not suspended.\n" && again.status == 0)
    await second.stopCleanly()
    #expect(second.errors.contains("charges are suspended"))
    let mended = try await onside.run("doctor")
    #expect(mended.status == 0, "\(mended)")
    let suspended = try await onside.run("suspend-charges")
    #expect(suspended.output == "Charges are suspended in this database until onside resume-charges.\n")
    let copy = try await onside.run("doctor")
    #expect(copy.status == 1 && copy.output.contains("FAIL  charges: suspended"), "\(copy)")
  }

  @Test(
    "PAY-8: charges of a copied file are suspended, also in place of the deleted original, and the original's are not")
  func copiedFile() async throws {
    let shop = try await Shop(onside.folder)
    let (first, _) = try await onside.serve(shop)
    await first.stopCleanly()
    let (path, copy) = (onside.folder.file("onside.sqlite"), onside.folder.file("copy.sqlite"))
    try FileManager.default.copyItem(atPath: path, toPath: copy)
    let beside = try await onside.run("doctor", "--database", "copy.sqlite")
    #expect(beside.output.contains("FAIL  charges: suspended"), "\(beside)")
    let original = try await onside.run("doctor")
    #expect(original.status == 0, "\(original)")
    try FileManager.default.removeItem(atPath: path)
    try FileManager.default.copyItem(atPath: copy, toPath: path)
    let inPlace = try await onside.run("doctor")
    #expect(inPlace.output.contains("FAIL  charges: suspended"), "\(inPlace)")
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
