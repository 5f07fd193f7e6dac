import Foundation
package import StorePayments

/// Saved methods.
extension StripePaymentProvider {
  package func beginSaving(_ request: MethodSetupRequest) async throws -> MethodSetupAnswer {
    guard let customer = try await customer(of: request) else { return .refused }
    do throws(StripeError) {
      return .needsAction(reference: try await setup(request, customer: customer).id)
    } catch {
      guard error.details.param == "customer",
        let other = try await customers.replace(customer, of: request.account)
      else { throw error }
      return .needsAction(reference: try await setup(request, customer: other).id)
    }
  }

  /// The customer that a card is saved for; nil when the account was removed meanwhile.
  private func customer(of request: MethodSetupRequest) async throws -> String? {
    do { return try await customers.customer(of: request.account) } catch is StripeCustomers.AccountIsRemoved {
      return nil
    }
  }

  private func setup(_ request: MethodSetupRequest, customer: String) async throws(StripeError) -> StripeSetupIntent {
    let setup = StripeNewSetup(
      customer: customer,
      metadata: [StripeMetadata.setup: request.id, StripeMetadata.account: request.account])
    return try await client.createSetupIntent(
      setup, key: StripeIdempotencyKey("setup", subject: request.id, method: customer))
  }

  package func finishSaving(_ request: MethodSetupRequest) async throws -> MethodSetupAnswer {
    guard let reference = request.reference else { return .refused }
    let setup = try await client.setupIntent(reference)
    switch setup.status {
    case .succeeded:
      guard let method = setup.paymentMethod else { return .refused }
      return try await client.paymentMethod(method.id).details.map { .saved($0) } ?? .refused
    case .canceled: return .refused
    default: return .needsAction(reference: reference)
    }
  }

  package func endSaving(_ request: MethodSetupEndRequest) async throws -> PaymentMethodDetails? {
    guard let customer = try await customers.known(request.account) else {
      try await customers.removeLost(of: request.account)
      return nil
    }
    let since = machineTime(request.begunAt) - 3600
    let listed = try await present { () async throws(StripeError) in
      try await client.setupIntents(of: customer, since: since)
    }
    guard let setup = listed?.first(where: { $0.metadata?[StripeMetadata.setup] == request.id }) else { return nil }
    let ended = try await end(setup) { StripeIdempotencyKey("cancel", subject: request.id, attempt: $0) }
    return try await savedMethod(of: ended)
  }

  /// The method that an account has saved with a setup; nil before, and when it was removed since.
  func savedMethod(of setup: StripeSetupIntent) async throws(StripeError) -> PaymentMethodDetails? {
    guard let method = try await method(of: setup), method.customer != nil else { return nil }
    return method.details
  }

  /// Detaches a method. With the account's removal its customer goes, too.
  package func remove(_ request: MethodRemovalRequest) async throws {
    guard
      let method = try await present({ () async throws(StripeError) in
        try await client.paymentMethod(request.reference)
      })
    else { return }
    guard let customer = method.customer else { return }
    if try await customers.isRemoved(request.account) {
      try await client.deleteCustomer(customer.id)
    } else {
      try await client.detachPaymentMethod(method.id, key: StripeIdempotencyKey("detach", subject: method.id))
    }
  }
}
