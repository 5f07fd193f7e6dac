import Foundation
import OnsideCommerce
import StoreBase
import StorePayments

/// What costs nothing, such as a free trial: Stripe charges no 0. Where a method is kept for what follows, a setup
/// intent takes the place of the payment intent. The bank looks at the card, and its owner agrees to later charges.
extension StripePaymentProvider {
  /// Sets up the method of a charge of 0 while the buyer waits. Where none is kept, Stripe is asked nothing.
  func setUp(_ request: ChargeRequest) async throws -> ProviderCharge {
    guard request.isSaved || request.remembers else { return request.granted }
    if request.reference != nil || mayBeForgotten(request.askedAt), let known = try await findSetup(request) {
      return try await record(known, of: request)
    }
    return try await charge(request) { customer async throws(StripeError) in
      let setup = StripeNewSetup(request, customer: customer)
      do throws(StripeError) {
        let made = try await make(key: { request.key("setup", attempt: $0) }) { key async throws(StripeError) in
          try await client.createSetupIntent(setup, key: key)
        } lookUp: { () async throws(StripeError) in
          try await lookUpSetup(request, customer: customer)
        }
        return try await record(made, of: request)
      } catch {
        guard error.kind == .card, let refused = error.details.setupIntent else { throw error }
        return try await record(refused, of: request)
      }
    }
  }

  /// What became of the setup of a charge; nil when there is none.
  func setUpStatus(of request: ChargeRequest) async throws -> ProviderCharge? {
    guard let setup = try await findSetup(request) else { return nil }
    return try await record(setup, of: request)
  }

  /// Ends the setup of a charge; nil when there is none.
  func cancelSetUp(_ request: ChargeRequest) async throws -> ProviderCharge? {
    guard let setup = try await findSetup(request) else { return nil }
    return try await record(try await end(setup) { request.key("cancel", attempt: $0) }, of: request)
  }

  /// Cancels a setup, unless it has ended.
  func end(
    _ setup: StripeSetupIntent, key: (_ attempt: Int64) -> StripeIdempotencyKey
  ) async throws(StripeError) -> StripeSetupIntent {
    try await end(setup, key: key) { key async throws(StripeError) in
      try await client.cancelSetupIntent(setup.id, key: key)
    } look: { () async throws(StripeError) in
      try await client.setupIntent(setup.id)
    }
  }

  /// What Stripe tells of a setup: that of a charge, or of a card that was saved without one.
  func setupEvent(_ id: String) async throws -> ProviderEvent.Kind? {
    guard let setup = try await present({ () async throws(StripeError) in try await client.setupIntent(id) }) else {
      return nil
    }
    if let report = try await report(setup) { return setup.chargeState.event(report) }
    guard let own = setup.metadata?[StripeMetadata.setup], let account = setup.metadata?[StripeMetadata.account],
      let details = try await savedMethod(of: setup)
    else { return nil }
    return .methodSaved(MethodReport(id: own, account: account, details: details))
  }

  /// The setup of a charge; nil when there is none.
  func findSetup(_ request: ChargeRequest) async throws(StripeError) -> StripeSetupIntent? {
    if let reference = request.reference {
      return try await present { () async throws(StripeError) in try await client.setupIntent(reference) }
    }
    guard let customer = try await knownCustomer(of: request.account) else { return nil }
    return try await lookUpSetup(request, customer: customer)
  }

  /// The setup of a charge in the list of a customer's setups.
  private func lookUpSetup(
    _ request: ChargeRequest, customer: String
  ) async throws(StripeError) -> StripeSetupIntent? {
    let listed = try await present { () async throws(StripeError) in
      try await client.setupIntents(of: customer, since: earliest(of: request))
    }
    let setups = (listed ?? []).filter { $0.isOf(request) }
    return setups.first { $0.status == .succeeded } ?? setups.first
  }

  private func record(
    _ setup: StripeSetupIntent, of request: ChargeRequest
  ) async throws(StripeError) -> ProviderCharge {
    let method = try await method(of: setup)
    return ProviderCharge(
      state: setup.chargeState, amount: 0, currency: request.currency, reference: setup.id,
      method: setup.remembersMethod ? method?.details : nil, cardCountry: method?.card?.issuerCountry)
  }

  private func report(_ setup: StripeSetupIntent) async throws(StripeError) -> ChargeReport? {
    guard let charge = setup.metadata?[StripeMetadata.charge],
      let order = setup.metadata?[StripeMetadata.order].flatMap({ UUID(text: $0) }),
      let currency = setup.metadata?[StripeMetadata.currency].flatMap({ Currency(code: $0) })
    else { return nil }
    let method = try await method(of: setup)
    return ChargeReport(
      id: charge, orderID: order, amount: .zero(currency), reference: setup.id,
      method: setup.remembersMethod ? method?.details : nil, cardCountry: method?.card?.issuerCountry)
  }

  /// The method that was set up; nil before.
  func method(of setup: StripeSetupIntent) async throws(StripeError) -> StripePaymentMethod? {
    guard setup.status == .succeeded, let method = setup.paymentMethod else { return nil }
    return try await present { () async throws(StripeError) in try await client.paymentMethod(method.id) }
  }
}

extension ChargeRequest {
  /// The charge of 0 that Stripe is not asked for.
  var granted: ProviderCharge { ProviderCharge(state: .succeeded, amount: 0, currency: currency) }
}

extension StripeNewSetup {
  /// A saved method is set up at once; a card that is still to be entered, when its buyer has entered it.
  fileprivate init(_ request: ChargeRequest, customer: String) {
    self.init(customer: customer, method: request.isSaved ? request.method : nil, metadata: request.metadata)
    // A setup intent has no currency.
    metadata[StripeMetadata.currency] = request.currency
  }
}
