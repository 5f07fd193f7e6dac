import Crypto
import Foundation

/// The sandbox's own provider: moves no money, behaves as the test card says, and plays its callbacks as signed events
/// through the same door as a real provider's. Callbacks that come later wait in the outbox, so that they also come
/// after a restart.
struct SandboxPaymentProvider: PaymentProvider {
  /// Seconds until a card that settles later does, and until a refund that comes by itself.
  static let settlingDelay: TimeInterval = 10
  /// Seconds until the callback of the card whose callback is late.
  static let lateDelay: TimeInterval = 120

  /// Its name in the books.
  static let name = "sandbox"
  let dependencies: StoreDependencies
  let events: ProviderEventService
  let outbox = OutboxRecords()

  private var records: SandboxRecords { SandboxRecords(database: dependencies.database) }

  func start(_ payment: ProviderPayment) async throws -> ProviderAnswer {
    switch SandboxCard(rawValue: payment.method) {
    case .succeeds: try await tell(.succeeded, payment: payment)
    case .declined, nil: try await tell(.declined, payment: payment)
    case .secondStep: return .needsSecondStep
    case .settlesLater:
      // What comes later is written down first: an order that is pending always has an end.
      try await tell(.succeeded, payment: payment, after: Self.settlingDelay)
      try await tell(.pending, payment: payment)
    case .neverSettles: try await tell(.pending, payment: payment)
    case .lateCallback:
      try await records.note(event(.succeeded, payment: payment))
      try await tell(.succeeded, payment: payment, after: Self.lateDelay)
    case .callbackTwice:
      try await tell(.succeeded, payment: payment)
      try await tell(.succeeded, payment: payment)
    case .refundedLater:
      try await tell(.succeeded, payment: payment)
      try await tell(.refunded, payment: payment, after: Self.settlingDelay)
    }
    return .accepted
  }

  func confirm(_ payment: ProviderPayment) async throws { try await tell(.succeeded, payment: payment) }

  func refund(_ payment: ProviderPayment) async throws { try await tell(.refunded, payment: payment) }

  func status(of payment: ProviderPayment) async throws -> ProviderRecord? { try await records.record(of: payment.id) }

  /// Sends an event that was written down, as the network would bring it.
  func send(_ body: String) async throws {
    let bytes = Array(body.utf8)
    try await records.note(try JSONDecoder().decode(ProviderEvent.self, from: Data(bytes)))
    try await events.receive(bytes, signature: ProviderEventService.signature(of: bytes, key: events.key))
  }

  private func tell(_ kind: ProviderEvent.Kind, payment: ProviderPayment, after delay: TimeInterval = 0) async throws {
    let body = String(decoding: try JSONEncoder().encode(event(kind, payment: payment)), as: UTF8.self)
    guard delay > 0 else { return try await send(body) }
    try await dependencies.database.write(at: dependencies.clock.now()) { [outbox] transaction in
      try outbox.add(
        PaymentOutboxKind.sandboxEvent, payload: body, due: transaction.now.addingTimeInterval(delay), in: transaction)
    }
  }

  private func event(_ kind: ProviderEvent.Kind, payment: ProviderPayment) -> ProviderEvent {
    ProviderEvent(
      eventID: "\(payment.id):\(kind.rawValue)", type: kind, paymentID: payment.id, orderID: payment.orderID,
      amount: payment.amount, currency: payment.currency)
  }
}
