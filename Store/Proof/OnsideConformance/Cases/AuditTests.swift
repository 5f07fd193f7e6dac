import ConformanceTable
import Foundation
import OnsideCommerce
import OnsideKit
import OnsideStore
import StoreBase
import StoreSales
import Testing

/// The audit of a store over HTTP, whose operator acts while devices use it.
@MainActor
@Suite(
  "The audit", .serialized, .columns(.store, because: "there is no store over HTTP"), .timeLimit(.minutes(5)))
struct AuditTests {
  @Test("MER-9: a refund has one row with its operator, and one that is rejected has a row with its error")
  func refund() async throws {
    try await TestedSystem.run { system in
      let device = try await system.signedInDevice(of: system.user())
      let bought = try await device.buy(ExampleProducts.coins)
      let act = AuditedAct(
        "refund", of: bought.id.uuidString.lowercased(), by: "anna", via: .command, arguments: ["reason": "support"])
      let order = bought.id
      try await system.operate { core in
        try await act.perform(with: core.dependencies.base) {
          _ = try await core.refunds.refund(order, because: .support)
        }
      }
      await #expect(throws: OrderError.self) {
        try await system.operate { core in
          try await AuditedAct("refund", of: "none", by: "bert", via: .command).perform(with: core.dependencies.base) {
            _ = try await core.refunds.refund(UUID(), because: .support)
          }
        }
      }
      let entries = try await system.core.dependencies.database.read { try AuditRecords.newest(AuditFilter(), in: $0) }
      #expect(entries.map(\.act.operatorName) == ["bert", "anna"])
      #expect(entries.map(\.outcome) == [.failed, .done] && entries.last?.act == act)
      #expect(entries.first?.error == "\(OrderError.notFound)")
      let refunded = try await system.orders(of: device.user).first
      #expect(refunded?.state.revocation != nil)
    }
  }
}
