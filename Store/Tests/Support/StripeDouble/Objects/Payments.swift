import Foundation

/// A payment.
struct PaymentIntent: Sendable {
  let id: String
  let created: Date
  let clientSecret: String
  let amount: Int64
  let currency: String
  let customer: String?
  let types: [String]
  var status = "requires_payment_method"
  var method: String?
  var metadata: [String: String]
  var savesMethod = false
  var latestCharge: String?
  var received: Int64 = 0
  var lastError: JSON?
  var canceledAt: Date?
  var cancellationReason: String?
  var description: String?
  var receiptEmail: String?

  func json(isLive: Bool) -> JSON {
    [
      "id": .text(id), "object": "payment_intent", "created": .time(created), "client_secret": .text(clientSecret),
      "amount": .number(amount), "amount_capturable": 0, "amount_received": .number(received),
      "currency": .text(currency), "customer": .optional(customer), "payment_method": .optional(method),
      "payment_method_types": .list(types.map { .text($0) }), "status": .text(status), "metadata": .texts(metadata),
      "latest_charge": .optional(latestCharge), "last_payment_error": lastError ?? .null, "livemode": .bool(isLive),
      "capture_method": "automatic_async", "confirmation_method": "automatic",
      "canceled_at": canceledAt.map { .time($0) } ?? .null, "cancellation_reason": .optional(cancellationReason),
      "description": .optional(description), "receipt_email": .optional(receiptEmail),
      "setup_future_usage": savesMethod ? "off_session" : nil,
      "next_action": status == "requires_action" ? ["type": "use_stripe_sdk", "use_stripe_sdk": [:]] : nil,
    ]
  }
}

/// A try to get a payment's money.
struct Charge: Sendable {
  let id: String
  let created: Date
  let payment: String
  let amount: Int64
  let currency: String
  let customer: String?
  let method: String
  let metadata: [String: String]
  /// `succeeded`, `pending` or `failed`.
  var status: String
  var decline: Decline?
  var refunded: Int64 = 0
  var transaction: String?
  var dispute: String?

  func json(isLive: Bool) -> JSON {
    [
      "id": .text(id), "object": "charge", "created": .time(created), "payment_intent": .text(payment),
      "amount": .number(amount), "amount_captured": .number(status == "succeeded" ? amount : 0),
      "amount_refunded": .number(refunded), "currency": .text(currency), "customer": .optional(customer),
      "payment_method": .text(method), "metadata": .texts(metadata), "status": .text(status),
      "paid": .bool(status != "failed"), "captured": .bool(status != "failed"), "refunded": .bool(refunded == amount),
      "disputed": .bool(dispute != nil), "balance_transaction": .optional(transaction), "livemode": .bool(isLive),
      "failure_code": .optional(decline?.code), "failure_message": .optional(decline?.message),
      "billing_details": ["address": nil, "email": nil, "name": nil, "phone": nil, "tax_id": nil],
    ]
  }
}
