package import Foundation
import HTTPTypes
import Logging
import OnsideCommerce
import StoreBase
package import StorePayments

/// What Stripe tells. An event names an object; the object is fetched, because events come late, twice and in any
/// order.
extension StripePaymentProvider {
  /// The events that the store needs. The webhook endpoint has to have all of them.
  static let eventTypes = [
    "payment_intent.succeeded", "payment_intent.payment_failed", "payment_intent.processing",
    "payment_intent.requires_action", "payment_intent.canceled", "setup_intent.succeeded",
    "setup_intent.setup_failed", "setup_intent.requires_action", "setup_intent.canceled", "refund.created",
    "refund.updated", "refund.failed",
    "charge.dispute.created", "charge.dispute.updated", "charge.dispute.funds_withdrawn",
    "charge.dispute.funds_reinstated", "charge.dispute.closed", "radar.early_fraud_warning.created",
    "payment_method.automatically_updated", "payment_method.updated", "payment_method.detached",
    "payout.paid", "payout.failed",
  ]

  package func read(_ delivery: ProviderDelivery) throws -> [ProviderNotice] {
    do throws(StripeSignature.Fault) {
      let signature = try StripeSignature(delivery.headers[.stripeSignature])
      try signature.verify(delivery.body, secrets: settings.webhookSecrets, now: delivery.receivedAt)
    } catch {
      dependencies.logger.warning("webhook call of Stripe refused", metadata: ["reason": "\(error.rawValue)"])
      throw PaymentError.invalidSignature
    }
    guard let event = try? StripeJSON.decode(StripeEvent.self, from: Data(delivery.body)) else {
      throw PaymentError.invalidEvent("Expected an event of Stripe's with id, type, livemode and data.")
    }
    guard event.livemode == (settings.environment == .production) else {
      throw PaymentError.invalidEvent("Expected an event of \(settings.environment), got one of the other mode.")
    }
    return Self.notice(event).map { [$0] } ?? []
  }

  package func events(of notice: ProviderNotice) async throws -> [ProviderEvent] {
    guard case .lookUp(let subject) = notice.content else { return [] }
    let parts = subject.split(separator: " ").map(String.init)
    guard parts.count == 2 else { return [] }
    let kinds: [ProviderEvent.Kind] =
      switch parts[0] {
      case "payment_intent": [try await paymentEvent(parts[1])].compactMap(\.self)
      case "setup_intent": [try await setupEvent(parts[1])].compactMap(\.self)
      case "refund": [try await refundEvent(parts[1])].compactMap(\.self)
      case "dispute": try await disputeEvents(parts[1])
      case "radar.early_fraud_warning": [try await warningEvent(parts[1])].compactMap(\.self)
      case "payment_method": [try await methodEvent(parts[1])].compactMap(\.self)
      case "payout": [try await payoutEvent(parts[1])].compactMap(\.self)
      default: []
      }
    return kinds.map { ProviderEvent(id: notice.id, environment: settings.environment, kind: $0) }
  }

  package func notices(since start: Date, after cursor: String?) async throws -> ProviderNoticePage {
    // The cursor is the index of the first type of a part: Stripe takes so many types at a time.
    let first = cursor.flatMap { Int($0) } ?? 0
    let types = Self.eventTypes.dropFirst(first).prefix(StripeClient.eventTypeLimit)
    let events = try await client.events(since: machineTime(start), types: Array(types))
    let next = first + types.count
    return ProviderNoticePage(
      notices: events.reversed().compactMap(Self.notice),
      cursor: next < Self.eventTypes.count ? String(next) : nil)
  }

  /// Nil for what the store need not know.
  private static func notice(_ event: StripeEvent) -> ProviderNotice? {
    let object = event.data.object
    guard eventTypes.contains(event.type), let id = object.id, !id.contains(" "), (1...64).contains(id.utf8.count)
    else { return nil }
    return ProviderNotice(id: event.id, content: .lookUp("\(object.object) \(id)"))
  }

  private func paymentEvent(_ id: String) async throws -> ProviderEvent.Kind? {
    guard let payment = try await present({ () async throws(StripeError) in try await client.payment(id) }),
      let report = try await report(payment)
    else { return nil }
    switch payment.chargeState {
    case .succeeded: return .succeeded(await withFees(report, of: payment))
    case .requiresAction:
      // The buyer, who has left the page long ago, was not waiting: the money did not come.
      guard let error = payment.lastPaymentError, try await isPending(report.id) else { return .requiresAction(report) }
      return .declined(report, error.reason)
    case .pending, .declined, .cancelled: return payment.chargeState.event(report)
    }
  }

  /// Whether the store waits for a payment's money, which Stripe was processing.
  private func isPending(_ charge: String) async throws -> Bool {
    try await dependencies.database.read { try PaymentStateRecords.isPending(charge, in: $0) }
  }

  /// A refund that is under way is told when it ends.
  private func refundEvent(_ id: String) async throws -> ProviderEvent.Kind? {
    guard let refund = try await present({ () async throws(StripeError) in try await client.refund(id) }),
      let record = refund.record, let payment = refund.paymentIntent,
      let report = try await report(try await client.payment(payment.id))
    else { return nil }
    switch record.state {
    case .pending: return nil
    case .succeeded: return .refunded(report, record)
    case .failed: return .refundFailed(report, record)
    }
  }

  private func methodEvent(_ id: String) async throws -> ProviderEvent.Kind? {
    guard let method = try await present({ () async throws(StripeError) in try await client.paymentMethod(id) }),
      method.customer != nil
    else { return .methodDetached(reference: id) }
    return method.details.map { .methodUpdated($0) }
  }

  /// One that is on its way to the bank is told when it is there.
  private func payoutEvent(_ id: String) async throws -> ProviderEvent.Kind? {
    try await present({ () async throws(StripeError) in try await client.payout(id) })?.record.map { .payout($0) }
  }

  /// Nil for a payment of another system that uses the same account.
  func report(_ payment: StripePaymentIntent) async throws -> ChargeReport? {
    guard let charge = payment.metadata?[StripeMetadata.charge],
      let order = payment.metadata?[StripeMetadata.order].flatMap({ UUID(text: $0) }),
      let amount = StripeAmount.money(payment.amount, currency: payment.currency)
    else { return nil }
    let method = try await method(of: payment)
    return ChargeReport(
      id: charge, orderID: order, amount: amount, reference: payment.id,
      method: payment.remembersMethod ? method?.details : nil, cardCountry: method?.card?.issuerCountry)
  }
}

extension HTTPField.Name {
  static let stripeSignature = Self("Stripe-Signature")!
}
