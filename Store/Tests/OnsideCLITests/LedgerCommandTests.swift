import Foundation
import GRDB
import OnsideStore
import StoreTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct LedgerCommandTests {
  private let onside: Program

  init() throws { onside = try Program() }

  /// A store with a sale of 4.99 EUR on the first of November 2026, and its refund a day later.
  private func filled() async throws {
    let status = try await onside.run("app", "add", "io.example.lumen").status
    try #require(status == 0)
    let queue = try DatabaseQueue(path: onside.folder.file("onside.sqlite"))
    try await queue.write { database in
      let (provider, app, noon) = ("provider:sandbox", "app:io.example.lumen", 1_793_534_400_000)
      for (kind, debit, credit, time) in [
        ("sale", provider, app, noon), ("refund", app, provider, noon + 86_400_000),
      ] {
        try database.execute(
          sql: """
            INSERT INTO ledger(order_id, kind, debit, credit, amount, currency, created_at)
            VALUES ('0198c0de-0000-7000-8000-000000000001', ?, ?, ?, 499, 'EUR', ?)
            """, arguments: [kind, debit, credit, time])
      }
    }
    try queue.close()
  }

  @Test("STO-3: the ledger is exported to standard output or a file, also a period of it, and its balances shown")
  func export() async throws {
    try await filled()
    let whole = try await onside.run("ledger", "export")
    #expect(whole.status == 0 && whole.output.contains("2026-11-01 (0198c0de-0000-7000-8000-000000000001) sale  ;"))
    let file = try await onside.run("ledger", "export", "--output", "books.journal")
    #expect(file.output == "books.journal has 2 transactions.\n")
    #expect(onside.folder.text("books.journal") == whole.output)
    let attributes = try FileManager.default.attributesOfItem(atPath: onside.folder.file("books.journal"))
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    let first = try await onside.run("ledger", "export", "--until", "2026-11-02", "--output", "books.journal")
    #expect(first.output == "books.journal has 1 transaction.\n")
    let second = try await onside.run("ledger", "export", "--since", "2026-11-02")
    #expect(second.output.contains("2026-11-02 opening balances\n") && !second.output.contains(" sale "))
    let actualOutput = try await onside.run("ledger", "balances").output
    #expect(actualOutput == "All balances are zero.\n")
    let secondOutput = try await onside.run("ledger", "balances", "--until", "2026-11-02").output
    #expect(
      secondOutput == """
        ACCOUNT                            CURRENCY  BALANCE
        assets:providers:sandbox           EUR       4.99
        liabilities:apps:io.example.lumen  EUR       -4.99

        """)
  }

  @Test("A wrong day or a file that cannot be written is one line on standard error")
  func wrong() async throws {
    try await filled()
    for arguments in [
      ["--since", "May"], ["--until", "2026-13-01"], ["--since", "2026-11-02", "--until", "2026-11-01"],
      ["--output", "none/books.journal"],
    ] {
      let outcome = try await onside.run(["ledger", "export"] + arguments)
      #expect(outcome.status == 1 && outcome.output.isEmpty, "\(arguments)")
      #expect(outcome.errors.split(separator: "\n").count == 1, "\(outcome.errors)")
    }
  }
}
