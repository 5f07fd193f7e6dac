import Crypto
import Foundation
import HTTPTypes
import OnsideAPI
import OnsideCommerce
import StoreBase

/// What the sandbox provider tells of a payment, as it goes over the wire.
struct SandboxEvent: Sendable, Codable {
  enum Kind: String, Sendable, Codable {
    case succeeded, declined, pending, refunded
    case refundFailed = "refund_failed"
    case disputeOpened = "dispute_opened"
    case fundsWithdrawn = "funds_withdrawn"
    case fundsReinstated = "funds_reinstated"
    case disputeWon = "dispute_won"
    case disputeLost = "dispute_lost"

    /// What happens to a dispute, in the order of time.
    static let ofDisputes: [Kind] = [.disputeOpened, .fundsWithdrawn, .fundsReinstated, .disputeWon, .disputeLost]

    /// Whether it is about money that goes back, which may be a part of the payment.
    var isOfPart: Bool { self == .refunded || self == .refundFailed || Self.ofDisputes.contains(self) }
  }

  /// The same for every repetition.
  let eventID: String
  let type: Kind
  let paymentID: String
  let orderID: String
  /// How much was moved, refused or objected to, in the currency's smallest unit.
  var amount: Int64
  /// The currency, ISO 4217.
  let currency: String
  /// The store's id of a refund of a part; nil for all else.
  var refundID: String?
  /// The whole amount of the payment, when a part of it was refunded or is disputed.
  var paymentAmount: Int64?
  /// The test card, if it can be charged again.
  var method: String?

  enum CodingKeys: String, CodingKey {
    case type, amount, currency, method
    case eventID = "event_id"
    case paymentID = "payment_id"
    case orderID = "order_id"
    case refundID = "refund_id"
    case paymentAmount = "payment_amount"
  }
}

extension SandboxEvent {
  /// Verifies and reads what came over the wire.
  init(_ delivery: ProviderDelivery, keys: VersionedKey<SymmetricKey>) throws(PaymentError) {
    guard let signature = delivery.headers[.sandboxSignature], let code = Hexadecimal.decode(signature),
      code.count == 32,
      keys.isAny({ HMAC<SHA256>.isValidAuthenticationCode(code, authenticating: delivery.body, using: $0) })
    else { throw .invalidSignature }
    do {
      self = try JSONDecoder().decode(SandboxEvent.self, from: Data(delivery.body))
    } catch {
      throw .invalidEvent("Expected event_id, type, payment_id, order_id, amount and currency.")
    }
  }

  /// The event in the store's terms.
  func event(in environment: StoreEnvironment) throws(PaymentError) -> ProviderEvent {
    guard let order = UUID(text: orderID), (1...128).contains(eventID.utf8.count),
      (1...128).contains(paymentID.utf8.count)
    else { throw .invalidEvent("Expected order_id as a UUID and ids of 1 to 128 bytes.") }
    guard let money = Money(minorUnits: amount, currencyCode: currency), amount >= 0 else {
      throw .invalidEvent("Expected amount in the smallest unit of currency, an ISO 4217 code.")
    }
    let whole = Money(minorUnits: type.isOfPart ? paymentAmount ?? amount : amount, currency: money.currency)
    let card = method.flatMap(SandboxCard.init)?.details
    let charge = ChargeReport(id: paymentID, orderID: order, amount: whole, method: card)
    return ProviderEvent(id: eventID, environment: environment, kind: kind(of: charge, amount: money))
  }

  private func kind(of charge: ChargeReport, amount: Money) -> ProviderEvent.Kind {
    // The test cards' banks give one reason.
    let dispute = ProviderDispute(reference: "\(paymentID):dispute", amount: amount, reason: "fraudulent")
    return switch type {
    case .succeeded: .succeeded(charge)
    case .declined: .declined(charge, .later)
    case .pending: .pending(charge)
    case .refunded: .refunded(charge, refund(.succeeded))
    case .refundFailed: .refundFailed(charge, refund(.failed(reason: "refused")))
    case .disputeOpened: .disputeOpened(charge, dispute)
    case .fundsWithdrawn: .fundsWithdrawn(charge, dispute)
    case .fundsReinstated: .fundsReinstated(charge, dispute)
    case .disputeWon: .disputeClosed(charge, dispute, .won)
    case .disputeLost: .disputeClosed(charge, dispute, .lost)
    }
  }

  private func refund(_ state: ProviderRefund.State) -> ProviderRefund {
    ProviderRefund(
      state: state, id: refundID, reference: refundReference, amount: amount, currency: currency,
      isAnonymous: refundID == nil)
  }

  /// The sandbox's id of the refund that it tells of.
  var refundReference: String { refundID ?? "\(paymentID):refund" }
}
