import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StorePayments
@testable import StoreSales

/// The methods that a provider reports with charges: each is recorded, so that the sweep detaches it.
@Suite("Methods that a provider reports", .timeLimit(.minutes(5)))
struct ReportedMethodTests {
  private static let card = PaymentMethodDetails(reference: "reported", brand: "Visa", lastFour: "1234")

  /// The methods of an account that pays an order with a card that does not settle, after an event.
  private static func methods(
    after event: @escaping @Sendable (_ payment: String, _ order: OrderMessage) -> ProviderEvent.Kind
  ) async throws -> [SavedPaymentMethod] {
    let store = try await TestStore()
    try await store.shop { shopper in
      let (order, core) = (try await shopper.order("coins"), store.core)
      let outcome = try await shopper.pay(order, with: .neverSettles)
      #expect(outcome == .pending)
      let payment = try #require(try await store.payments(of: order.id).first)
      _ = try await core.dependencies.database.write(at: store.clock.now()) {
        try core.payments.events.apply(event(payment, order), from: "sandbox", in: $0)
      }
    }
    return try await store.core.dependencies.database.read { connection in
      try connection.rows("SELECT DISTINCT account_id FROM payment_methods").flatMap {
        try PaymentMethodRecords.all(of: try $0.text("account_id"), in: connection)
      }
    }
  }

  @Test("SUB-17: the method of a payment that this database does not know is recorded, and not saved")
  func unknownPayment() async throws {
    let methods = try await Self.methods { _, order in
      .succeeded(
        ChargeReport(id: "elsewhere", orderID: order.id.uuid, amount: order.price.money, method: Self.card))
    }
    #expect(methods.map(\.details) == [Self.card] && methods.first?.isSaved == false)
  }

  @Test("SUB-17: the method of a charge that was refunded before its success was known is recorded, and not saved")
  func refundedBefore() async throws {
    let methods = try await Self.methods { payment, order in
      let money = order.price.money
      let refund = ProviderRefund(
        state: .succeeded, id: nil, reference: "refund", amount: money.minorUnits, currency: money.currency.code,
        isAnonymous: true)
      return .refunded(
        ChargeReport(id: payment, orderID: order.id.uuid, amount: money, method: Self.card), refund)
    }
    #expect(methods.map(\.details) == [Self.card] && methods.first?.isSaved == false)
  }
}
