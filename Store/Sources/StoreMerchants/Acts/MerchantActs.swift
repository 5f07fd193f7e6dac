import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
package import StoreBase
package import StoreSales
import StoreWeb

/// Acts of merchants' servers: refunds, grants, and the extension and end of subscriptions, each once for its
/// idempotency key and with a row in the audit.
///
/// An act that changes data stores its answer in the transaction of the change, after it: both are committed or
/// neither is, and of two equal requests at once the second is rolled back. A rejected act changes and stores nothing.
package struct MerchantActs: Sendable {
  private let dependencies: BaseDependencies
  private let refunds: RefundService
  private let grants: GrantService
  private let subscriptions: SubscriptionService
  private let customers: CustomerService

  package init(
    _ dependencies: BaseDependencies, refunds: RefundService, grants: GrantService,
    subscriptions: SubscriptionService, customers: CustomerService
  ) {
    self.dependencies = dependencies
    (self.refunds, self.grants, self.subscriptions, self.customers) = (refunds, grants, subscriptions, customers)
  }

  /// Refunds an order. The answer is the refund.
  func refund(_ order: UUID, by request: MerchantRefundRequest, _ act: MerchantAct) async throws -> ActAnswer {
    let id = newID()
    return try await perform(act) { transaction in
      guard let json = try MerchantObjects.refund(id, in: transaction) else { throw ActError.notFound }
      return ActAnswer(status: 201, json: json, account: nil)
    } changing: {
      let currency = try await paidOrder(order, of: act).price.currency
      let amount = request.amount.map { Money(minorUnits: $0, currency: currency) }
      let refund = try await refunds.refund(order, as: id, amount: amount, because: request.reason ?? .refund)
      guard refund != nil else { throw ActError.refunded }
    }
  }

  /// Grants a product, or a revoked order again, to a customer. The answer is the grant's order.
  func grant(_ request: MerchantGrantRequest, to subject: String, _ act: MerchantAct) async throws -> ActAnswer {
    let (id, environment) = (newID(), dependencies.environment)
    return try await perform(act) { transaction in
      guard let customer = try MerchantObjects.order(id, of: act.caller.app, in: transaction)?.customer,
        let order = try MerchantObjects.order(
          id, of: act.caller.app, in: try transaction.at(timeOf: customer.account, in: environment))
      else { throw ActError.notFound }
      return ActAnswer(status: 201, json: order.json, account: order.customer.account)
    } changing: {
      guard let customer = try await customers.account(of: subject, in: act.caller.app) else {
        throw ActError.notFound
      }
      guard let revoked = request.reinstates?.uuid else {
        let gift = GrantService.Gift(account: customer.account, app: customer.app, product: request.productID)
        _ = try await grants.grant(gift, as: id)
        return
      }
      let order = try await paidOrder(revoked, of: act)
      guard order.customer == customer else { throw ActError.notFound }
      guard order.product == request.productID else { throw ActError.otherProduct(order.product) }
      _ = try await grants.reinstate(revoked, as: id)
    }
  }

  /// Moves the end of the paid period of an order's subscription. The answer is the subscription.
  func extend(_ order: UUID, byDays days: Int, _ act: MerchantAct) async throws -> ActAnswer {
    try await performOnSubscription(of: order, act) { key in
      guard try await subscriptions.extend(key, by: .days(days)) != nil else { throw ActError.noSubscription }
    }
  }

  /// Switches off the renewal of an order's subscription. The answer is the subscription.
  func stop(_ order: UUID, _ act: MerchantAct) async throws -> ActAnswer {
    try await performOnSubscription(of: order, act) { key in
      guard try await subscriptions.stop(key) != nil else { throw ActError.noSubscription }
    }
  }

  private func performOnSubscription(
    of order: UUID, _ act: MerchantAct, _ body: (SubscriptionKey) async throws -> Void
  ) async throws -> ActAnswer {
    let environment = dependencies.environment
    return try await perform(act) { transaction in
      guard let key = try MerchantObjects.order(order, of: act.caller.app, in: transaction)?.subscription,
        let json = try MerchantObjects.subscription(
          key, in: try transaction.at(timeOf: key.account, in: environment))
      else { throw ActError.noSubscription }
      return ActAnswer(status: 200, json: json, account: key.account)
    } changing: {
      guard let key = try await paidOrder(order, of: act).subscription else { throw ActError.noSubscription }
      try await body(key)
    }
  }

  private func newID() -> UUID { dependencies.random.uuid7(at: dependencies.clock.now()) }

  private func paidOrder(_ id: UUID, of act: MerchantAct) async throws -> MerchantOrder {
    let order = try await dependencies.database.read(at: dependencies.clock.now()) {
      try MerchantObjects.order(id, of: act.caller.app, in: $0)
    }
    guard let order else { throw ActError.notFound }
    return order
  }
}

extension MerchantActs {
  /// Runs an act once for its idempotency key, and returns its stored answer.
  ///
  /// - Parameters:
  ///   - answer: makes the answer, in the transaction that has changed the act's object.
  ///   - change: runs the act, with at most one transaction that changes data.
  private func perform(
    _ act: MerchantAct, answering answer: @escaping @Sendable (StoreTransaction) throws -> ActAnswer,
    changing change: () async throws -> Void
  ) async throws -> ActAnswer {
    if let known = try await storedAnswer(to: act) { return known }
    do {
      try await act.audited.perform(
        with: dependencies,
        adding: { transaction in
          guard try IdempotencyRecords.insert(answer(transaction), to: act, in: transaction) else {
            throw ActError.keyUsed
          }
        }
      ) {
        guard try await isUnused(act.key, of: act.caller.app) else { throw ActError.keyUsed }
        try await change()
      }
    } catch {
      // An equal request at the same time may have acted, and the failure may be the consequence.
      guard let known = try await storedAnswer(to: act) else { throw error }
      return known
    }
    if let known = try await storedAnswer(to: act) { return known }
    return try await storeAnswer(answer, to: act)
  }

  /// Stores the answer to an act that has changed nothing, such as the end of a subscription that does not renew.
  private func storeAnswer(
    _ answer: @escaping @Sendable (StoreTransaction) throws -> ActAnswer, to act: MerchantAct
  ) async throws -> ActAnswer {
    try await dependencies.database.write(at: dependencies.clock.now()) { transaction in
      let present = try answer(transaction)
      if try IdempotencyRecords.insert(present, to: act, in: transaction) { return present }
      let known = try IdempotencyRecords.answer(act.key, of: act.caller.app, in: transaction)
      let hash = try act.requestHash
      guard let known, known.requestHash == hash else { throw ActError.keyUsed }
      return known.answer
    }
  }

  /// The stored answer to an equal request.
  private func storedAnswer(to act: MerchantAct) async throws -> ActAnswer? {
    let known = try await dependencies.database.read {
      try IdempotencyRecords.answer(act.key, of: act.caller.app, in: $0)
    }
    let hash = try act.requestHash
    return known.flatMap { $0.requestHash == hash ? $0.answer : nil }
  }

  private func isUnused(_ key: IdempotencyKey, of app: String) async throws -> Bool {
    try await dependencies.database.read { try IdempotencyRecords.answer(key, of: app, in: $0) == nil }
  }
}
