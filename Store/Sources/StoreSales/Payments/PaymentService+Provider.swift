package import Foundation
import Logging
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase
package import StorePayments

/// The outbox's handlers. The outbox may call each of them repeatedly and late.
extension PaymentService {
  /// Seconds for which the store retries to start or confirm a payment at a provider that does not answer. A buyer does
  /// not expect a charge later.
  package static let startLimit: TimeInterval = 10 * 60
  /// Maximum seconds until the store retries to start or confirm a payment, because a buyer waits for it.
  package static let longestRetryDelay: TimeInterval = 60
  /// Maximum seconds until the store retries a renewal, so that the charge follows the provider's first answer soon.
  package static let longestRenewalDelay: TimeInterval = 600

  /// Starts a payment at its provider.
  package func start(_ request: ChargeRequest, with provider: any PaymentProvider) async throws {
    guard let id = try await wantedOrder(of: request, with: provider, until: request.startBefore) else { return }
    try await take(try await provider.charge(request), to: request, of: id, from: provider)
  }

  /// Charges a method without the buyer. If the buyer has switched the renewal off, removed the method or disputed a
  /// payment, or if no message announced a higher price, the provider is only queried about an earlier call. The charge
  /// is retried until the provider answers (SUB-2). Rows of older versions have a `startBefore` of 20 hours, which no
  /// longer applies.
  package func renew(_ request: ChargeRequest, with provider: any PaymentProvider) async throws {
    guard let id = try await wantedOrder(of: request, with: provider, until: nil) else { return }
    let isAgreed = try await dependencies.database.read(at: dependencies.clock.now()) { [renewals] in
      try renewals.isAgreed(request, of: id, in: $0)
    }
    guard isAgreed else { return try await end(request, of: id, with: provider) }
    guard try await isNoticeSent(request, of: id) else { throw PendingNotice() }
    let isUnannounced = try await dependencies.database.read { [prices] in
      try prices.isUnannounced(id, in: $0)
    }
    guard !isUnannounced else {
      dependencies.logger.notice(
        "a higher price is put off for a period: no message about it was sent", metadata: ["order": "\(id.lowercase)"])
      return try await end(request, of: id, with: provider, chargesAgain: true)
    }
    guard try await !adopt(request, of: id, from: provider) else { return }
    try await take(try await provider.chargeOffSession(request), to: request, of: id, from: provider)
  }

  /// Adopts the charge of a renewal's period that a copy of this database has made, or this one before a restore.
  /// Returns false without such a charge.
  private func adopt(
    _ request: ChargeRequest, of id: UUID, from provider: any PaymentProvider
  ) async throws -> Bool {
    guard !request.isFree, let period = request.period else { return false }
    let charges = try await provider.charges(of: period, account: request.account)
    let found = try await dependencies.database.read { [payments] connection in
      try charges.filter { found in
        // A late payment of a cancelled order is refunded, and so is a known surplus.
        guard let known = try payments.payment(found.id, in: connection) else { return true }
        return known.orderID == id && known.state != .succeeded && known.state != .refunded
      }.adoptable(for: request.id)
    }
    guard let found else { return false }
    dependencies.logger.notice(
      "the period was charged before",
      metadata: [
        "order": "\(id.lowercase)", "charge": "\(found.id)", "reference": "\(found.charge.reference ?? "")",
        "product": "\(found.product ?? "")",
      ])
    let isAdopted = try await change(request, of: id) { [startedPayments] order, payment, transaction in
      try startedPayments.adopt(found, inPlaceOf: payment, of: &order, in: transaction)
    }
    // The order was paid or cancelled meanwhile: the payment is refunded.
    if !isAdopted, let report = found.charge.report(ofPayment: found.id, order: id) {
      try await apply(found.charge.event(report), from: request.provider)
    }
    return true
  }

  /// An error of a renewal whose message is being delivered. It is charged afterwards.
  struct PendingNotice: Error {}

  /// Seconds for which a message that cannot be delivered delays a charge.
  private static let noticeTimeout: TimeInterval = 10 * 60

  /// Returns whether the messages before a renewal are delivered. After an outage, the store writes messages and
  /// charges at the same time.
  private func isNoticeSent(_ request: ChargeRequest, of id: UUID) async throws -> Bool {
    guard let askedAt = request.askedAt, dependencies.clock.now() < askedAt + Self.noticeTimeout else { return true }
    return try await dependencies.database.read { [orders] connection in
      guard let key = try orders.order(id, in: connection)?.subscriptionKey else { return true }
      return try !SubscriberMessageRecords.isTelling(key, in: connection)
    }
  }

  /// Confirms a payment at its provider, after its second step.
  package func confirm(_ request: ChargeRequest, with provider: any PaymentProvider) async throws {
    guard let id = try await wantedOrder(of: request, with: provider, until: request.startBefore) else { return }
    try await take(try await provider.confirm(request), to: request, of: id, from: provider)
  }

  /// Cancels a charge at its provider, because its order no longer waits for it. The provider's answer is applied as
  /// always: a payment that succeeded too late is refunded.
  package func cancel(_ request: ChargeRequest, with provider: any PaymentProvider) async throws {
    guard let charge = try await provider.cancel(request) else { return }
    switch charge.state {
    case .succeeded, .pending, .cancelled:
      guard let report = charge.report(of: request) else { return }
      try await apply(charge.event(report), from: request.provider)
    // The provider cannot cancel the charge. Applied, the answer would request the cancellation again and again.
    case .requiresAction, .declined: break
    }
  }

  /// Returns the charge request of the payment for which an order waits, and the consent for saving its method.
  func waitingCharge(_ token: String) async throws -> (charge: ChargeRequest, consent: MethodConsent?)? {
    guard let id = tokens.orderID(token) else { return nil }
    return try await dependencies.database.read { [orders, payments, environment] connection in
      guard let order = try orders.order(id, in: connection), order.state.stage == .open,
        let payment = try order.paymentID.flatMap({ try payments.payment($0, in: connection) }),
        payment.state == .secondStep
      else { return nil }
      return (
        ChargeRequest(payment, account: order.accountID, environment: environment),
        MethodConsent(payment, of: order.product.message.title)
      )
    }
  }

  /// Queries the provider about a payment that waits for the buyer, who has returned from another page. Only the
  /// provider's answer counts, not the parameters of the browser.
  func refresh(_ token: String) async throws {
    guard let request = try await waitingCharge(token)?.charge, let id = UUID(text: request.orderID) else { return }
    do {
      let provider = try providers.provider(request.provider)
      guard let charge = try await provider.status(of: request), charge.state != .requiresAction else { return }
      try await take(.known(charge), to: request, of: id, from: provider)
    } catch {
      // The page shows the state of the order. The provider's event follows later.
      dependencies.logger.warning(
        "a payment could not be looked up", metadata: ["error": "\(error.loggedName)"])
    }
  }

  /// Returns the order of a payment that is still needed. Otherwise cancels or ends the payment, and returns nil.
  private func wantedOrder(
    of request: ChargeRequest, with provider: any PaymentProvider, until limit: Date?
  ) async throws -> UUID? {
    guard let id = UUID(uuidString: request.orderID) else { return nil }
    let order = try await dependencies.database.read { [orders] in try orders.order(id, in: $0) }
    // Orders with a payment are never deleted: this row was read at a replaced primary, and the outbox retries it.
    guard let stage = order?.state.stage else { throw PaymentError.notFound }
    guard stage == .open || stage == .processing else {
      try await cancelIfUnwanted(request, of: id, with: provider)
      return nil
    }
    guard let limit, limit <= dependencies.clock.now() else { return id }
    try await end(request, of: id, with: provider)
    return nil
  }

  /// Cancels a charge that was started or confirmed too late: its order was cancelled or paid otherwise meanwhile. The
  /// lost answer may be of a charge that its buyer can still pay.
  private func cancelIfUnwanted(
    _ request: ChargeRequest, of id: UUID, with provider: any PaymentProvider
  ) async throws {
    let isUnwanted = try await dependencies.database.read { [orders, payments] connection in
      guard let order = try orders.order(id, in: connection),
        let payment = try payments.payment(request.id, in: connection)
      else { return false }
      return payment.state == .started && !order.awaits(payment: payment.id)
    }
    if isUnwanted { try await cancel(request, with: provider) }
  }

  /// Ends a payment that is not needed or expired, by the provider's record of it. A payment without a record is
  /// declined, and its order cancelled.
  ///
  /// - Parameter chargesAgain: whether the charge of the renewal is requested again at once.
  private func end(
    _ request: ChargeRequest, of id: UUID, with provider: any PaymentProvider, chargesAgain: Bool = false
  ) async throws {
    let charge = try await provider.status(of: request)
    _ = try await change(request, of: id) { [self] order, payment, transaction in
      if let charge {
        guard let report = charge.report(of: request) else { return }
        return try startedPayments.apply(charge, as: report, from: payment.provider, to: &order, in: transaction)
      }
      // Nothing was declined, because the method of the renewal was not charged.
      if chargesAgain { try prices.chargeAgain(order.id, in: transaction) }
      try startedPayments.end(payment, of: &order, in: transaction)
      // A renewal is retried until its subscription ends.
      if !order.isRenewal { try cancellation.cancel(&order, because: .expired, in: transaction) }
    }
  }

  /// Applies a provider's answer.
  private func take(
    _ answer: ChargeAnswer, to request: ChargeRequest, of id: UUID, from provider: any PaymentProvider
  ) async throws {
    guard case .known(let charge) = answer, let report = charge.report(of: request) else { return }
    if charge.state == .requiresAction {
      // An answer to an earlier call does not open the order again.
      let isApplied = try await change(request, of: id) { [startedPayments] order, payment, transaction in
        try startedPayments.apply(charge, as: report, from: payment.provider, to: &order, in: transaction)
      }
      if !isApplied { try await cancelIfUnwanted(request, of: id, with: provider) }
      return
    }
    try await apply(charge.event(report), from: request.provider)
  }

  /// Applies an event of a charge in any state of its order.
  private func apply(_ event: ProviderEvent.Kind, from provider: String) async throws {
    let account = try await dependencies.database.write(at: dependencies.clock.now()) { [events] in
      try events.apply(event, from: provider, in: $0)
    }
    if let account { changes.wake(account: account) }
  }

  /// Changes the order of a payment. Returns false if the payment has advanced since its outbox row was inserted.
  private func change(
    _ request: ChargeRequest, of id: UUID,
    _ body: @escaping @Sendable (inout Order, Payment, StoreTransaction) throws -> Void
  ) async throws -> Bool {
    let account = try await dependencies.database.write(at: dependencies.clock.now()) {
      [orders, payments, environment] transaction -> String? in
      guard var order = try orders.order(id, in: transaction),
        let payment = try payments.payment(request.id, in: transaction),
        order.paymentID == payment.id, payment.state == .started, payment.step == request.step ?? payment.step
      else { return nil }
      let transaction = try transaction.at(timeOf: order.accountID, in: environment)
      try body(&order, payment, transaction)
      return order.accountID
    }
    guard let account else { return false }
    changes.wake(account: account)
    return true
  }
}
