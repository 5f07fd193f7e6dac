import Foundation
import Logging
import OnsideCommerce
import StoreBase
package import StorePayments

/// Charges.
extension StripePaymentProvider {
  package func charge(_ request: ChargeRequest) async throws -> ChargeAnswer {
    .known(request.isFree ? try await setUp(request) : try await charge(request, isOffSession: false))
  }

  package func chargeOffSession(_ request: ChargeRequest) async throws -> ChargeAnswer {
    .known(request.isFree ? request.granted : try await charge(request, isOffSession: true))
  }

  package func confirm(_ request: ChargeRequest) async throws -> ChargeAnswer {
    if request.isFree { return .known(try await setUpStatus(of: request) ?? request.refused(.later)) }
    guard let payment = try await find(request) else { return .known(request.refused(.later)) }
    return .known(try await record(payment, of: request))
  }

  package func status(of request: ChargeRequest) async throws -> ProviderCharge? {
    if request.isFree { return try await setUpStatus(of: request) }
    guard let payment = try await find(request) else { return nil }
    return try await withRefunds(try await record(payment, of: request), of: payment)
  }

  package func charges(of period: ChargedPeriod, account: String) async throws -> [FoundCharge] {
    guard let customer = try await knownCustomer(of: account) else { return [] }
    let listed = try await present { () async throws(StripeError) in
      // A sandbox's clock may have been moved ahead.
      let moved = dependencies.clock.now().timeIntervalSince(dependencies.clock.unmovedNow())
      return try await client.payments(of: customer, since: period.since - moved - Self.clockTolerance)
    }
    var found: [FoundCharge] = []
    for payment in listed ?? [] where payment.isOf(period) {
      guard let id = payment.metadata?[StripeMetadata.charge],
        let money = StripeAmount.money(payment.amount, currency: payment.currency)
      else { continue }
      let charge = try await record(payment, amount: money.minorUnits, currency: money.currency.code)
      found.append(
        FoundCharge(
          id: id, product: payment.metadata?[StripeMetadata.product], charge: try await withRefunds(charge, of: payment)
        ))
    }
    return found
  }

  /// Adds the refunded amount of a charge that has succeeded, which only the charge itself has.
  private func withRefunds(
    _ record: ProviderCharge, of payment: StripePaymentIntent
  ) async throws(StripeError) -> ProviderCharge {
    guard payment.status == .succeeded, let charge = payment.latestCharge else { return record }
    var record = record
    let refunded = try await client.charge(charge.id).amountRefunded
    record.refunded = StripeAmount.money(refunded, currency: payment.currency)?.minorUnits ?? 0
    return record
  }

  package func cancel(_ request: ChargeRequest) async throws -> ProviderCharge? {
    if request.isFree { return try await cancelSetUp(request) }
    guard let payment = try await find(request) else { return nil }
    let ended = try await end(payment, key: { request.key("cancel", attempt: $0) }) { key async throws(StripeError) in
      try await client.cancelPayment(payment.id, key: key)
    } look: { () async throws(StripeError) in
      try await client.payment(payment.id)
    }
    return try await record(ended, of: request)
  }

  /// Cancels an intent, unless it has ended. Stripe refuses that when it has ended meanwhile, or fails under a key for
  /// ever: the intent tells.
  func end<Intent: StripeIntent>(
    _ intent: Intent, key: (_ attempt: Int64) -> StripeIdempotencyKey,
    cancel: (StripeIdempotencyKey) async throws(StripeError) -> Intent, look: () async throws(StripeError) -> Intent
  ) async throws(StripeError) -> Intent {
    guard intent.isUnfinished else { return intent }
    for attempt in 1..<Self.attempts {
      do throws(StripeError) { return try await cancel(key(attempt)) } catch {
        guard error.kind == .invalidRequest || error.kind == .api else { throw error }
        let now = try await look()
        guard now.isUnfinished else { return now }
        guard error.isReplayed else { throw error }
      }
    }
    return try await cancel(key(Self.attempts))
  }

  private func charge(_ request: ChargeRequest, isOffSession: Bool) async throws -> ProviderCharge {
    guard let money = request.money, let amount = try? StripeAmount(money) else {
      dependencies.logger.error(
        "amount that Stripe cannot charge", metadata: ["amount": "\(request.amount) \(request.currency)"])
      return request.refused(.unchargeable)
    }
    if request.reference != nil || mayBeForgotten(request.askedAt), let known = try await find(request) {
      return try await record(known, of: request)
    }
    return try await charge(request) { customer async throws(StripeError) in
      let payment = StripeNewPayment(request, amount: amount, customer: customer, isOffSession: isOffSession)
      do throws(StripeError) {
        let made = try await make(key: { request.key("charge", attempt: $0) }) { key async throws(StripeError) in
          try await client.createPayment(payment, key: key)
        } lookUp: { () async throws(StripeError) in
          try await lookUp(request, customer: customer)
        }
        return try await record(made, of: request)
      } catch {
        guard error.kind == .card, let declined = error.details.paymentIntent else { throw error }
        return try await record(declined, of: request)
      }
    }
  }

  /// Makes what a charge needs for the customer of its account; for another one when the customer was deleted by hand.
  func charge(
    _ request: ChargeRequest, of body: (_ customer: String) async throws(StripeError) -> ProviderCharge
  ) async throws -> ProviderCharge {
    let customer = try await customers.customer(of: request.account)
    do throws(StripeError) { return try await body(customer) } catch {
      guard error.details.param == "customer",
        let other = try await customers.replace(customer, of: request.account)
      else { return try refusal(error, of: request) }
      // A card that is still to be entered can be another customer's; a saved one was lost with its own.
      guard !request.isSaved else { return try refusal(error, of: request) }
      return try await body(other)
    }
  }

  /// Makes an object. Stripe repeats a 500 under its key for ever: the object is looked up before another key is used.
  func make<Made>(
    key: (_ attempt: Int64) -> StripeIdempotencyKey,
    by create: (StripeIdempotencyKey) async throws(StripeError) -> Made,
    lookUp: () async throws(StripeError) -> Made?
  ) async throws(StripeError) -> Made {
    for attempt in 1..<Self.attempts {
      do throws(StripeError) { return try await create(key(attempt)) } catch {
        guard error.kind == .api, error.isReplayed else { throw error }
        if let made = try await lookUp() { return made }
      }
    }
    return try await create(key(Self.attempts))
  }

  /// What an error says of a charge; throws what is to be repeated.
  func refusal(_ error: StripeError, of request: ChargeRequest) throws(StripeError) -> ProviderCharge {
    let metadata: Logger.Metadata = ["error": "\(error)", "charge": "\(request.id)"]
    if let decline = StripeDecline(error) {
      dependencies.logger.notice("charge refused by Stripe", metadata: metadata)
      return request.refused(decline.reason)
    }
    // Too small an amount, a currency that the account does not have: the same call is refused for ever.
    guard error.kind == .invalidRequest || error.kind == .idempotency else { throw error }
    dependencies.logger.error("charge that Stripe does not take", metadata: metadata)
    return request.refused(.unchargeable)
  }

  /// The payment of a charge; nil when there is none.
  func find(_ request: ChargeRequest) async throws(StripeError) -> StripePaymentIntent? {
    if let reference = request.reference {
      return try await present { () async throws(StripeError) in try await client.payment(reference) }
    }
    if let customer = try await knownCustomer(of: request.account) {
      return try await lookUp(request, customer: customer)
    }
    // The customer of a removed account is forgotten. A payment that was begun before is in the list of all: Stripe
    // finds metadata only up to an hour later.
    guard let removal = try await removal(of: request.account) else { return nil }
    return try await lookUp(request, customer: nil, until: machineTime(removal) + Self.clockTolerance)
  }

  /// The customer of an account; nil before its first payment.
  func knownCustomer(of account: String) async throws(StripeError) -> String? {
    do { return try await customers.known(account) } catch {
      throw .noAnswer(error.loggedName)
    }
  }

  private func removal(of account: String) async throws(StripeError) -> Date? {
    do { return try await customers.removal(of: account) } catch {
      throw .noAnswer(error.loggedName)
    }
  }

  /// The payment of a charge in the list of a customer's payments.
  ///
  /// - Parameter customer: nil for the payments of all.
  private func lookUp(
    _ request: ChargeRequest, customer: String?, until end: Date? = nil
  ) async throws(StripeError) -> StripePaymentIntent? {
    // A customer of another account at Stripe has no payments here.
    let listed = try await present { () async throws(StripeError) in
      try await client.payments(of: customer, since: earliest(of: request), until: end)
    }
    let payments = (listed ?? []).filter { $0.isOf(request) }
    return payments.first { $0.status == .succeeded } ?? payments.first { $0.status == .processing } ?? payments.first
  }

  /// How far the clocks of the store and of Stripe may be apart, in seconds, and more than a call takes.
  private static let clockTolerance: TimeInterval = 3600

  /// Since when an intent of a charge may be there.
  func earliest(of request: ChargeRequest) -> Date {
    machineTime(request.askedAt ?? dependencies.clock.now() - 30 * 86_400) - Self.clockTolerance
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
    return try await record(
      payment, amount: money?.minorUnits ?? request.amount, currency: money?.currency.code ?? request.currency)
  }

  private func record(
    _ payment: StripePaymentIntent, amount: Int64, currency: String
  ) async throws(StripeError) -> ProviderCharge {
    let method = try await method(of: payment)
    return ProviderCharge(
      state: payment.chargeState, amount: amount, currency: currency, reference: payment.id,
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
  /// What the store writes to the intent of a charge.
  var metadata: [String: String] {
    var metadata = [StripeMetadata.charge: id, StripeMetadata.order: orderID]
    if let period {
      metadata[StripeMetadata.subscription] = period.subscription
      metadata[StripeMetadata.product] = period.product
      metadata[StripeMetadata.period] = String(period.number)
    }
    if isSaved { metadata[StripeMetadata.isSaved] = StripeMetadata.yes }
    if remembers, !isSaved { metadata[StripeMetadata.remembers] = StripeMetadata.yes }
    return metadata
  }

  func refused(_ reason: DeclineReason) -> ProviderCharge {
    ProviderCharge(state: .declined(reason), amount: amount, currency: currency)
  }

  func key(_ operation: String, attempt: Int64) -> StripeIdempotencyKey {
    StripeIdempotencyKey(idempotencyKey(operation), attempt: attempt)
  }
}

extension StripeNewPayment {
  /// A saved method is charged at once; a card that is still to be entered, when its buyer has entered it.
  fileprivate init(_ request: ChargeRequest, amount: StripeAmount, customer: String, isOffSession: Bool) {
    self.init(amount: amount, customer: customer)
    if request.isSaved { (method, isConfirmed, self.isOffSession) = (request.method, true, isOffSession) }
    savesMethod = request.remembers && !request.isSaved
    metadata = request.metadata
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
