import Foundation
import Logging
import OnsideAPI
import OnsideCommerce
import StoreBase

/// The outbox's handlers. The outbox may call each of them repeatedly and late.
extension PaymentService {
  /// How long the store retries to start or confirm a payment at a provider that does not answer, in seconds. A buyer
  /// does not expect a charge after that.
  static let startLimit: TimeInterval = 10 * 60
  /// The most seconds until the store retries to start or confirm a payment: a buyer waits for it.
  static let longestRetryDelay: TimeInterval = 60
  /// The most seconds until the store retries a renewal: the charge follows soon after the provider's first answer.
  static let longestRenewalDelay: TimeInterval = 600

  /// Asks the provider to start a payment.
  func start(_ request: ChargeRequest, with provider: any PaymentProvider) async throws {
    guard let id = try await wantedOrder(of: request, with: provider, until: request.startBefore) else { return }
    try await take(try await provider.charge(request), to: request, of: id, from: provider)
  }

  /// Asks the provider to charge a method without the buyer, unless the buyer has switched the renewal off, removed the
  /// method or disputed a payment meanwhile, or could not be told of a higher price: then the provider is only asked
  /// what it has of an earlier call. The charge is tried until the provider answers (SUB-2). Rows of older versions
  /// have a `startBefore` of 20 hours, which no longer applies.
  func renew(_ request: ChargeRequest, with provider: any PaymentProvider) async throws {
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

  /// Adopts the charge of a renewal's period that a copy of this database has made, or this one before a restore;
  /// false without one.
  private func adopt(
    _ request: ChargeRequest, of id: UUID, from provider: any PaymentProvider
  ) async throws -> Bool {
    guard !request.isFree, let period = request.period else { return false }
    let charges = try await provider.charges(of: period, account: request.account)
    let found = try await dependencies.database.read { [payments] connection in
      try charges.filter { found in
        // Late money of an order that was given up is refunded, and so is a surplus that this database knows.
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
    let isAdopted = try await change(request, of: id) { [answers] order, payment, transaction in
      try answers.adopt(found, inPlaceOf: payment, of: &order, in: transaction)
    }
    // The order was paid or given up meanwhile: the money is refunded.
    if !isAdopted, let report = found.charge.report(ofPayment: found.id, order: id) {
      try await apply(found.charge.event(report), from: request.provider)
    }
    return true
  }

  /// A renewal of which its account is just being told: it is charged afterwards.
  struct PendingNotice: Error {}

  /// For how long a message that cannot be delivered keeps a charge back, in seconds.
  private static let noticeTimeout: TimeInterval = 10 * 60

  /// Whether what an account is to know before a renewal has left the store. A store that slept has written both at
  /// once.
  private func isNoticeSent(_ request: ChargeRequest, of id: UUID) async throws -> Bool {
    guard let askedAt = request.askedAt, dependencies.clock.now() < askedAt + Self.noticeTimeout else { return true }
    return try await dependencies.database.read { [orders] connection in
      guard let key = try orders.order(id, in: connection)?.subscriptionKey else { return true }
      return try !SubscriberMessageRecords.isTelling(key, in: connection)
    }
  }

  /// Asks the provider to go on with a payment whose second step is done.
  func confirm(_ request: ChargeRequest, with provider: any PaymentProvider) async throws {
    guard let id = try await wantedOrder(of: request, with: provider, until: request.startBefore) else { return }
    try await take(try await provider.confirm(request), to: request, of: id, from: provider)
  }

  /// Asks the provider to cancel a charge that nobody waits for any more. What has become of it meanwhile counts as
  /// always: money that came too late goes back.
  func cancel(_ request: ChargeRequest, with provider: any PaymentProvider) async throws {
    guard let charge = try await provider.cancel(request) else { return }
    switch charge.state {
    case .succeeded, .pending, .cancelled:
      guard let report = charge.report(of: request) else { return }
      try await apply(charge.event(report), from: request.provider)
    // Its provider cannot cancel it: applied, it would be cancelled again and again.
    case .requiresAction, .declined: break
    }
  }

  /// The payment of an order that waits for the buyer, as its provider is asked about it, and what its method is saved
  /// for.
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

  /// Asks the provider what became of a payment that waits for the buyer, who has come back from elsewhere. Whatever
  /// the browser says, only the provider's answer counts.
  func refresh(_ token: String) async throws {
    guard let request = try await waitingCharge(token)?.charge, let id = UUID(text: request.orderID) else { return }
    do {
      let provider = try providers.provider(request.provider)
      guard let charge = try await provider.status(of: request), charge.state != .requiresAction else { return }
      try await take(.known(charge), to: request, of: id, from: provider)
    } catch {
      // The page shows how the order stands; the provider's event comes later.
      dependencies.logger.warning(
        "a payment could not be looked up", metadata: ["error": "\(error.loggedName)"])
    }
  }

  /// Returns the order of a payment that is still to be made. Otherwise cancels or ends the payment, and returns nil.
  private func wantedOrder(
    of request: ChargeRequest, with provider: any PaymentProvider, until limit: Date?
  ) async throws -> UUID? {
    guard let id = UUID(uuidString: request.orderID) else { return nil }
    let order = try await dependencies.database.read { [orders] in try orders.order(id, in: $0) }
    // No order with a payment is deleted: this one was read at a primary that has been replaced, and is tried again.
    guard let stage = order?.state.stage else { throw PaymentError.notFound }
    guard stage == .open || stage == .processing else {
      try await cancelIfUnwanted(request, of: id, with: provider)
      return nil
    }
    guard let limit, limit <= dependencies.clock.now() else { return id }
    try await end(request, of: id, with: provider)
    return nil
  }

  /// Cancels a charge whose start or confirmation came too late: its order was given up or paid otherwise meanwhile. An
  /// answer that was lost may have been of a charge that its buyer can still pay.
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

  /// Ends a payment that is not wanted any more, or whose time is over, by the provider's record of it. A payment
  /// without a record is declined, and its order cancelled.
  ///
  /// - Parameter chargesAgain: whether the renewal is then asked for once more at once.
  private func end(
    _ request: ChargeRequest, of id: UUID, with provider: any PaymentProvider, chargesAgain: Bool = false
  ) async throws {
    let charge = try await provider.status(of: request)
    _ = try await change(request, of: id) { [self] order, payment, transaction in
      if let charge {
        guard let report = charge.report(of: request) else { return }
        return try answers.apply(charge, as: report, from: payment.provider, to: &order, in: transaction)
      }
      // Nothing was declined, because the method of the renewal was not charged.
      if chargesAgain { try prices.chargeAgain(order.id, in: transaction) }
      try answers.end(payment, of: &order, in: transaction)
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
      let isApplied = try await change(request, of: id) { [answers] order, payment, transaction in
        try answers.apply(charge, as: report, from: payment.provider, to: &order, in: transaction)
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

  /// Changes a payment's order; false when the payment has advanced since the outbox row was written.
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
