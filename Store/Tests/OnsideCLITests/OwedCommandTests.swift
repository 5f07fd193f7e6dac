import Foundation
import GRDB
import OnsideAPI
import StoreTestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct OwedCommandTests {
  private let onside: Program

  init() throws { onside = try Program() }

  @Test("PAY-4: owed lists failed refunds, repeats one once and closes one; doctor names their number and sum")
  func owed() async throws {
    let shop = try await Shop(onside.folder)
    let (program, client) = try await onside.serve(shop)
    let none = try await onside.run("owed").output
    #expect(none == "No money is owed.\n")
    let ids = [OrderID(UUID()), OrderID(UUID())]
    for id in ids {
      _ = try await client.order(id)
      try await client.pay(id)
      let refund = try await onside.run("refund", id.description, "--amount", "0.49")
      #expect(refund.status == 0, "\(refund.errors)")
    }
    let failed = try await failRefunds(of: ids)
    let list = try await onside.run("owed").output
    for (id, refund) in zip(ids, failed) {
      #expect(list.contains("\(refund)  \(id)  0.49 EUR  operator"), "\(list)")
    }
    #expect(list.contains("account_closed"), "\(list)")
    let doctor = try await onside.run("doctor").output
    #expect(doctor.contains("FAIL  owed: failed refunds are owed: 2, 0.98 EUR in all"), "\(doctor)")
    let repeated = try await onside.run("owed", "repeat", failed[0])
    #expect(repeated.output.contains("0.49 EUR, REFUND, by the operator, failed "), "\(repeated.errors)")
    #expect(repeated.output.contains("account_closed, replaced by "), "\(repeated.output)")
    let second = try await onside.run("owed", "repeat", failed[0])
    #expect(second.status == 1)
    #expect(second.errors.contains("expected a failed refund whose money is owed, got \(failed[0])"))
    let closed = try await onside.run("owed", "close", failed[1])
    #expect(closed.output == "Closed the refund \(failed[1]).\n", "\(closed.errors)")
    let rest = try await onside.run("owed", "list").output
    #expect(rest == none)
    let healthy = try await onside.run("doctor").output
    #expect(healthy.contains("ok    owed: no failed refund"), "\(healthy)")
    await program.stopCleanly()
  }

  /// Marks the refunds of orders as failed, and returns their ids.
  private func failRefunds(of orders: [OrderID]) async throws -> [String] {
    try await DatabaseQueue(path: onside.folder.file("onside.sqlite")).write { database in
      try orders.map { order in
        try database.execute(
          sql:
            "UPDATE refunds SET state = 'failed', ended_at = asked_at, failure = 'account_closed' WHERE order_id = ?",
          arguments: [order.description])
        return try String.fetchOne(
          database, sql: "SELECT id FROM refunds WHERE order_id = ?", arguments: [order.description]) ?? ""
      }
    }
  }
}
