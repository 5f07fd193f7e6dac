import Foundation
import GRDB
import OnsideStore
import StoreTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct PayoutCommandTests {
  private let onside: Program

  init() throws { onside = try Program() }

  /// A store whose ledger has a sale of 4.99 EUR on the first of May 2026 with a commission of 0.49 EUR.
  private func filled() async throws {
    let status = try await onside.run("app", "add", "io.example.lumen", "--name", "Lumen").status
    try #require(status == 0)
    let queue = try DatabaseQueue(path: onside.folder.file("onside.sqlite"))
    try await queue.write { database in
      for (kind, debit, credit, amount) in [
        ("sale", "provider:sandbox", "app:io.example.lumen", 499),
        ("commission", "app:io.example.lumen", "store:commission", 49),
      ] {
        try database.execute(
          sql: """
            INSERT INTO ledger(order_id, kind, debit, credit, amount, currency, created_at, basis_points)
            VALUES ('0198c0de-0000-7000-8000-000000000001', ?, ?, ?, ?, 'EUR', 1777636800000, 1000)
            """, arguments: [kind, debit, credit, amount])
      }
    }
    try queue.close()
  }

  @Test("STO-3: a balance is paid out once, and marked as sent and settled")
  func payout() async throws {
    try await filled()
    let made = try await onside.run("payout", "make")
    #expect(made.status == 0 && made.output.contains("made   io.example.lumen  4.50 EUR"), "\(made)")
    let output = try await onside.run("payout", "make").output
    #expect(output == "There is nothing to pay out.\n")
    let id = try #require(made.output.split(separator: "\n").last?.split(separator: " ").first).description
    let status = try await onside.run("payout", "settled", id).status
    #expect(status == 1)
    for _ in 0..<2 {
      let secondOutput = try await onside.run("payout", "sent", id, "--reference", "SEPA 1").output
      #expect(secondOutput.contains("SEPA 1"))
    }
    for _ in 0..<2 {
      let actualOutput = try await onside.run("payout", "settled", id).output
      #expect(actualOutput.contains("settled"))
    }
    let thirdOutput = try await onside.run("payout", "list").output
    #expect(thirdOutput.contains("\(id)  settled"))
    let fourthOutput = try await onside.run("ledger", "balances").output
    #expect(fourthOutput.contains("assets:bank               EUR       -4.50"))
    let secondStatus = try await onside.run("payout", "make", "--hold", "soon").status
    #expect(secondStatus == 1)
    let errors = try await onside.run("payout", "sent", "x").errors
    #expect(errors.contains("expected the id of a payout"))
  }

  @Test("STO-3: a statement is CSV on standard output, or a page in a file")
  func statement() async throws {
    try await filled()
    let may = try await onside.run("statement", "io.example.lumen", "2026-05")
    #expect(
      may.output == """
        booked_at,cause,kind,product,country,currency,amount
        2026-05-01T12:00:00Z,0198c0de-0000-7000-8000-000000000001,commission,,,EUR,-0.49
        2026-05-01T12:00:00Z,0198c0de-0000-7000-8000-000000000001,sale,,,EUR,4.99

        """)
    let june = try await onside.run("statement", "io.example.lumen", "2026-06")
    #expect(june.output.hasSuffix("2026-06-01T00:00:00Z,,opening_balance,,,EUR,4.50\n"), "\(june)")
    let page = try await onside.run(
      "statement", "io.example.lumen", "2026-05", "--format", "html", "--output", "may.html")
    #expect(page.status == 0 && onside.folder.text("may.html").contains("<h1>Statement 2026-05</h1>"), "\(page)")
    for wrong in [["io.example.lumen", "May"], ["io.example.none", "2026-05"]] {
      let status = try await onside.run(["statement"] + wrong).status
      #expect(status == 1)
    }
  }
}
