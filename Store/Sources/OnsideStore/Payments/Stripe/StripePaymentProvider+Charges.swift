import Foundation
import Logging
import OnsideCommerce

/// Charges.
extension StripePaymentProvider {
  func charge(_ request: ChargeRequest) async throws -> ChargeAnswer {
    .known(try await charge(request, isOffSession: false))
  }

  func chargeOffSession(_ request: ChargeRequest) async throws -> ChargeAnswer {
    .known(try await charge(request, isOffSession: true))
  }

  func confirm(_ request: ChargeRequest) async throws -> ChargeAnswer {
    guard let payment = try await find(request) else { return .known(request.refused(.later)) }
    return .known(try await record(payment, of: request))
  }

  func status(of request: ChargeRequest) async throws -> ProviderCharge? {
    guard let payment = try await find(request) else { return nil }
    var record = try await record(payment, of: request)
    if payment.status == .succeeded, let charge = payment.latestCharge {
      let refunded = try await client.charge(charge.id).amountRefunded
      record.refunded = StripeAmount.money(refunded, currency: payment.currency)?.minorUnits ?? 0
    }
    return record
  }

  func cancel(_ request: ChargeRequest) async throws -> ProviderCharge? {
    guard let payment = try await find(request) else { return nil }
    return try await record(payment.isUnfinished ? try await cancel(payment, for: request) : payment, of: request)
  }

  /// Cancels a payment. Stripe refuses that when it has ended meanwhile, or fails under a key for ever: the payment
  /// tells.
  private func cancel(
    _ payment: StripePaymentIntent, for request: ChargeRequest
  ) async throws(StripeError) -> StripePaymentIntent {
    for attempt in 1..<Self.attempts {
      do throws(StripeError) {
        return try await client.cancelPayment(payment.id, key: request.key("cancel", attempt: attempt))
      } catch {
        guard error.kind == .invalidRequest || error.kind == .api else { throw error }
        let now = try await client.payment(payment.id)
        guard now.isUnfinished else { return now }
        guard error.isReplayed else { throw error }
      }
    }
    return try await client.cancelPayment(payment.id, key: request.key("cancel", attempt: Self.attempts))
  }

  private func charge(_ request: ChargeRequest, isOffSession: Bool) async throws -> ProviderCharge {
    guard let money = request.money, let amount = try? StripeAmount(money) else {
      dependencies.logger.error(
        "amount that Stripe cannot charge", metadata: ["amount": "\(request.amount) \(request.currency)"])
      return request.refused(.later)
    }
    if request.reference != nil || mayBeForgotten(request.askedAt), let known = try await find(request) {
      return try await record(known, of: request)
    }
    let customer = try await customers.customer(of: request.account)
    let payment = StripeNewPayment(request, amount: amount, customer: customer, isOffSession: isOffSession)
    do throws(StripeError) {
      return try await charge(payment, for: request)
    } catch {
      guard error.details.param == "customer",
        let other = try await customers.replace(customer, of: request.account)
      else { return try refusal(error, of: request) }
      // A card that is still to be entered can be another customer's; a saved one was lost with its own.
      guard !request.isSaved else { return try refusal(error, of: request) }
      return try await charge(payment.of(other), for: request)
    }
  }

  private func charge(
    _ payment: StripeNewPayment, for request: ChargeRequest
  ) async throws(StripeError) -> ProviderCharge {
    do throws(StripeError) {
      return try await record(try await create(payment, for: request), of: request)
    } catch {
      guard error.kind == .card, let declined = error.details.paymentIntent else { throw error }
      return try await record(declined, of: request)
    }
  }

  /// Makes a payment. When Stripe has failed under a key, for ever, it is looked what came of it before another key is
  /// used.
  private func create(
    _ payment: StripeNewPayment, for request: ChargeRequest
  ) async throws(StripeError) -> StripePaymentIntent {
    for attempt in 1..<Self.attempts {
      do throws(StripeError) {
        return try await client.createPayment(payment, key: request.key("charge", attempt: attempt))
      } catch {
        guard error.kind == .api, error.isReplayed else { throw error }
        if let made = try await lookUp(request, customer: payment.customer) { return made }
      }
    }
    return try await client.createPayment(payment, key: request.key("charge", attempt: Self.attempts))
  }

  /// What an error says of a charge; throws what is to be repeated.
  private func refusal(_ error: StripeError, of request: ChargeRequest) throws(StripeError) -> ProviderCharge {
    let metadata: Logger.Metadata = ["error": "\(error)", "charge": "\(request.id)"]
    if let decline = StripeDecline(error) {
      dependencies.logger.notice("charge refused by Stripe", metadata: metadata)
      return request.refused(decline.reason)
    }
    // Too small an amount, a currency that the account does not have: the same call is refused for ever.
    guard error.kind == .invalidRequest || error.kind == .idempotency else { throw error }
    dependencies.logger.error("charge that Stripe does not take", metadata: metadata)
    return request.refused(.later)
  }

  /// The payment of a charge; nil when there is none.
  func find(_ request: ChargeRequest) async throws(StripeError) -> StripePaymentIntent? {
    if let reference = request.reference {
      return try await present { () async throws(StripeError) in try await client.payment(reference) }
    }
    do {
      guard let customer = try await customers.known(request.account) else { return nil }
      return try await lookUp(request, customer: customer)
    } catch let error as StripeError {
      throw error
    } catch {
      throw .noAnswer(String(reflecting: type(of: error)))
    }
  }

  /// The payment of a charge in the list of a customer's payments.
  private func lookUp(
    _ request: ChargeRequest, customer: String
  ) async throws(StripeError) -> StripePaymentIntent? {
    // The clocks of both may differ by minutes.
    let since = machineTime(request.askedAt ?? dependencies.clock.now() - 30 * 86_400) - 3600
    // A customer of another account at Stripe has no payments here.
    let listed = try await present { () async throws(StripeError) in
      try await client.payments(of: customer, since: since)
    }
    let payments = (listed ?? []).filter { $0.metadata?[StripeMetadata.charge] == request.id }
    return payments.first { $0.status == .succeeded } ?? payments.first { $0.status == .processing } ?? payments.first
  }

  /// A time of the store as Stripe knows it: a sandbox's clock may have been moved ahead.
  func machineTime(_ date: Date) -> Date { min(date, dependencies.clock.unmovedNow()) }

  /// An object; nil when Stripe has none of its id.
  func present<Value>(
    _ call: () async throws(StripeError) -> Value
  ) async throws(StripeError) -> Value? {
    do throws(StripeError) { return try await call() } catch {
      guard error.details.code == "resource_missing" else { throw error }
      return nil
    }
  }

  /// What Stripe has of a charge.
  private func record(
    _ payment: StripePaymentIntent, of request: ChargeRequest
  ) async throws(StripeError) -> ProviderCharge {
    let money = StripeAmount.money(payment.amount, currency: payment.currency)
    let method = try await method(of: payment)
    return ProviderCharge(
      state: payment.chargeState, amount: money?.minorUnits ?? request.amount,
      currency: money?.currency.code ?? request.currency, reference: payment.id,
      method: payment.remembersMethod ? method?.details : nil, cardCountry: method?.card?.issuerCountry)
  }

  /// The method that paid; nil before.
  func method(of payment: StripePaymentIntent) async throws(StripeError) -> StripePaymentMethod? {
    guard payment.status == .succeeded, let method = payment.paymentMethod else { return nil }
    if let known = method.object { return known }
    return try await present { () async throws(StripeError) in try await client.paymentMethod(method.id) }
  }
}

extension ChargeRequest {
  fileprivate func refused(_ reason: DeclineReason) -> ProviderCharge {
    ProviderCharge(state: .declined(reason), amount: amount, currency: currency)
  }

  fileprivate func key(_ operation: String, attempt: Int64) -> StripeIdempotencyKey {
    StripeIdempotencyKey(idempotencyKey(operation) + (attempt == 1 ? "" : ":\(attempt)"))
  }
}

extension StripeNewPayment {
  /// The same payment of another customer.
  fileprivate func of(_ customer: String) -> StripeNewPayment {
    var payment = StripeNewPayment(amount: amount, customer: customer)
    (payment.method, payment.isOffSession, payment.isConfirmed) = (method, isOffSession, isConfirmed)
    (payment.savesMethod, payment.metadata) = (savesMethod, metadata)
    return payment
  }

  /// A saved method is charged at once; a card that is still to be entered, when its buyer has entered it.
  fileprivate init(_ request: ChargeRequest, amount: StripeAmount, customer: String, isOffSession: Bool) {
    self.init(amount: amount, customer: customer)
    if request.isSaved { (method, isConfirmed, self.isOffSession) = (request.method, true, isOffSession) }
    savesMethod = request.remembers && !request.isSaved
    metadata = [StripeMetadata.charge: request.id, StripeMetadata.order: request.orderID]
    if request.isSaved { metadata[StripeMetadata.isSaved] = StripeMetadata.yes }
    if savesMethod { metadata[StripeMetadata.remembers] = StripeMetadata.yes }
  }
}

extension StripePaymentIntent {
  /// Whether the method that pays is to be saved.
  var remembersMethod: Bool { metadata?[StripeMetadata.remembers] == StripeMetadata.yes }

  /// Whether it can still be paid.
  var isUnfinished: Bool {
    [.requiresPaymentMethod, .requiresConfirmation, .requiresAction, .requiresCapture].contains(status)
  }

  /// Where the charge stands.
  var chargeState: ChargeState {
    switch status {
    case .succeeded: return .succeeded
    case .processing, .requiresCapture: return .pending
    case .requiresAction, .requiresConfirmation: return .requiresAction
    case .requiresPaymentMethod: return afterNoMethod
    case .canceled: return .cancelled
    default: return .pending
    }
  }

  /// A card that the buyer enters may be refused and entered again, in Stripe's fields. A saved one was refused, unless
  /// the bank only wants its owner.
  private var afterNoMethod: ChargeState {
    guard metadata?[StripeMetadata.isSaved] == StripeMetadata.yes, let error = lastPaymentError else {
      return .requiresAction
    }
    return error.needsAuthentication ? .requiresAction : .declined(error.reason)
  }
}

extension StripeDecline {
  /// What the store is to do.
  var reason: DeclineReason {
    switch consequence {
    case .stop: .never
    case .later: .later
    case .askBuyer: .askBuyer
    }
  }

  /// Whether the same payment can go on with its buyer.
  var needsAuthentication: Bool {
    [code, declineCode].contains("authentication_required")
  }
}

extension StripePaymentMethod {
  /// What the store keeps of the method; nil for one of a kind that it does not know.
  var details: PaymentMethodDetails? {
    card.map { card in
      PaymentMethodDetails(
        reference: id, brand: card.brandName, lastFour: card.last4,
        expires: String(card.expYear) + (card.expMonth < 10 ? "-0" : "-") + String(card.expMonth))
    }
  }
}

extension StripePaymentMethod.Card {
  /// The country of the bank that gave out the card.
  var issuerCountry: CountryCode? { country.flatMap(CountryCode.init(alpha2:)) }

  /// The brand as it writes itself.
  fileprivate var brandName: String {
    switch brand {
    case "amex": "American Express"
    case "cartes_bancaires": "Cartes Bancaires"
    case "diners": "Diners Club"
    case "eftpos_au": "eftpos"
    case "jcb": "JCB"
    case "unionpay": "UnionPay"
    case "unknown": "Card"
    default: brand.prefix(1).uppercased() + brand.dropFirst()
    }
  }
}
