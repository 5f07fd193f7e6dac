import Foundation
import GRDB
import StoreTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct OwedCommandTests {
  @Test("PAY-4: owed lists failed refunds, and closes one; doctor names their number and sums")
  func list() async throws {
    let onside = try Program()
    let status = try await onside.run("app", "add", "io.example.a").status
    #expect(status == 0)
    let none = try await onside.run("owed", "list").output
    #expect(none == "No money is owed.\n")
    try await onside.write(refunds: ["re-1": 676, "re-2": 100])
    let list = try await onside.run("owed", "list").output
    #expect(
      list.contains(/re-1 +\S+ +6\.76 EUR +plan change +1970-01-01T00:00:02Z +lost_or_stolen_card/), "\(list)")
    let doctor = try await onside.run("doctor")
    #expect(doctor.status == 1)
    #expect(doctor.output.contains("FAIL  owed: failed refunds: 2, 7.76 EUR in all"), "\(doctor.output)")
    let wrong = try await onside.run("owed", "close", "re-3")
    #expect(wrong.status == 1 && wrong.errors.contains("expected a failed refund whose money is owed, got re-3"))
    for id in ["re-1", "re-2"] {
      let closed = try await onside.run("owed", "close", id).output
      #expect(closed == "Closed. Nothing is owed of \(id).\n")
    }
    let rest = try await onside.run("owed", "list").output
    #expect(rest == none)
    let healthy = try await onside.run("doctor").output
    #expect(healthy.contains("ok    owed: nothing"), "\(healthy)")
  }
}

extension Program {
  /// Writes failed refunds of changed plans, by id and amount, each with a payment of 9.99 EUR.
  fileprivate func write(refunds: [String: Int]) async throws {
    let queue = try DatabaseQueue(path: folder.file("onside.sqlite"))
    try await queue.write { database in
      for (id, amount) in refunds {
        let order = UUID().uuidString.lowercased()
        try database.execute(
          sql: """
            INSERT INTO payments(id, order_id, provider, method, amount, currency, state, step, created_at)
            VALUES (?, ?, 'sandbox', 'approved', 999, 'EUR', 'succeeded', 1, 0)
            """, arguments: ["payment of \(id)", order])
        try database.execute(
          sql: """
            INSERT INTO refunds(id, order_id, payment_id, amount, currency, is_surplus, reason, origin, state, failure,
              asked_at, ended_at)
            VALUES (?, ?, ?, ?, 'EUR', 0, 'REFUND', 'plan change', 'failed', 'lost_or_stolen_card', 1000, 2000)
            """, arguments: [id, order, "payment of \(id)", amount])
      }
    }
  }
}
