import Crypto
import Foundation
import Logging
import OnsideAPI
import OnsideCommerce

/// Takes in what the provider tells: verified by its signature, noted once, applied in the same transaction.
struct ProviderEventService: Sendable {
  let dependencies: StoreDependencies
  let settlement: PaymentSettlement
  let changes: ChangeHub
  let key: SymmetricKey

  /// Throws ``PaymentError/invalidSignature`` when the body was not signed with the provider's key.
  func receive(_ body: [UInt8], signature: String?) async throws {
    guard let signature, let code = Hexadecimal.decode(signature), code.count == 32,
      HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: body, using: key)
    else { throw PaymentError.invalidSignature }
    let event: ProviderEvent
    do {
      event = try JSONDecoder().decode(ProviderEvent.self, from: Data(body))
    } catch {
      throw PaymentError.invalidEvent("Expected event_id, type, payment_id, order_id, amount and currency.")
    }
    guard let orderID = UUID(text: event.orderID), (1...128).contains(event.eventID.utf8.count),
      (1...128).contains(event.paymentID.utf8.count)
    else { throw PaymentError.invalidEvent("Expected order_id as a UUID and ids of 1 to 128 bytes.") }
    guard let amount = event.money, amount.minorUnits >= 0 else {
      throw PaymentError.invalidEvent("Expected amount in the smallest unit of currency, an ISO 4217 code.")
    }
    try await apply(event, amount: amount, orderID: orderID)
  }

  private func apply(_ event: ProviderEvent, amount: Money, orderID: UUID) async throws {
    let account: String?
    do {
      account = try await dependencies.database.write(at: dependencies.clock.now()) { [settlement] transaction in
        guard try settlement.payments.note(event: event.eventID, in: transaction) else { return nil }
        guard var order = try settlement.orders.order(orderID, in: transaction) else { throw PaymentError.notFound }
        try settlement.apply(event.type, paymentID: event.paymentID, amount: amount, to: &order, in: transaction)
        checkpoint("payment.beforeCommit")
        return order.accountID
      }
    } catch let mismatch as PaymentAmountMismatch {
      dependencies.logger.error("payment event refused", metadata: ["reason": "\(mismatch)"])
      throw PaymentError.invalidEvent("Expected the payment's amount; \(mismatch).")
    }
    checkpoint("payment.afterCommit")
    if let account { changes.wake(account: account) }
  }

  /// The signature of a body, in lower-case hexadecimal digits.
  static func signature(of body: [UInt8], key: SymmetricKey) -> String {
    Hexadecimal.encode(HMAC<SHA256>.authenticationCode(for: body, using: key))
  }
}
