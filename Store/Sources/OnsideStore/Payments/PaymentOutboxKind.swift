import Foundation

/// The kinds of outbox rows that go to the payment provider.
enum PaymentOutboxKind {
  static let start = "payment.start"
  static let confirm = "payment.confirm"
  static let refund = "payment.refund"
  static let sandboxEvent = "sandbox.event"

  static func payload(_ payment: ProviderPayment) throws -> String {
    String(decoding: try JSONEncoder().encode(payment), as: UTF8.self)
  }

  static func payment(_ payload: String) throws -> ProviderPayment {
    try JSONDecoder().decode(ProviderPayment.self, from: Data(payload.utf8))
  }
}
