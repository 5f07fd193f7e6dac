public import Foundation
import OnsideAPI
public import OnsideCommerce
package import StoreAccounts
package import StoreBase

/// Grants of the operator: purchases of price 0, without a payment, an entry in the ledger or a receipt number.
public final class GrantService: Sendable {
  /// A product that is granted to an account.
  public struct Gift: Sendable, Hashable {
    /// The id of the account.
    public var account: String
    /// The app that sells the product.
    public var app: String
    /// The id of the product.
    public var product: String
    /// The number of units of a consumable; 1 for every other product.
    public var quantity: Int
    /// The end of a subscription, by the account's time; nil for one period of the plan, and for other products.
    public var end: PeriodExtension?

    /// A product that is granted to an account.
    public init(account: String, app: String, product: String, quantity: Int = 1, end: PeriodExtension? = nil) {
      (self.account, self.app, self.product, self.quantity, self.end) = (account, app, product, quantity, end)
    }
  }

  private let dependencies: BaseDependencies
  private let orders: OrderRecords
  private let grants: PurchaseGrants
  private let quotes: QuoteCache
  private let changes: ChangeHub

  package init(
    _ dependencies: BaseDependencies, orders: OrderRecords, grants: PurchaseGrants, quotes: QuoteCache,
    changes: ChangeHub
  ) {
    (self.dependencies, self.orders, self.grants) = (dependencies, orders, grants)
    (self.quotes, self.changes) = (quotes, changes)
  }

  private var environment: StoreEnvironment { dependencies.environment }

  /// Grants a product to an account. A subscription begins now and does not renew, unless its account switches the
  /// renewal on.
  ///
  /// - Parameter id: the id of the grant's order; nil for a new one.
  /// - Returns: the id of the grant's order.
  /// - Throws: `GrantError`, and changes nothing, where the product cannot be granted.
  public func grant(_ gift: Gift, as id: UUID? = nil) async throws -> UUID {
    let id = id ?? dependencies.random.uuid7(at: dependencies.clock.now())
    let grant = try await quotes.write(at: dependencies.clock.now()) { [self] transaction in
      let transaction = try transaction.at(timeOf: gift.account, in: environment)
      var grant = try order(id, of: gift, at: transaction.now, in: transaction)
      try insert(&grant, of: grant.product.message.plan(at: grant.product.message.price.money), in: transaction)
      return grant
    }
    orders.products.markStored(grant.product)
    changes.wake(account: gift.account)
    return id
  }

  /// Grants a revoked order again: its product in its quantity, to the order's end or another one. A lost dispute
  /// of the order revokes the grant.
  ///
  /// - Parameters:
  ///   - id: the id of the grant's order; nil for a new one.
  ///   - end: the end; nil for that of the revoked order.
  /// - Returns: the id of the grant's order.
  /// - Throws: `GrantError`, and changes nothing, where the order cannot be granted.
  public func reinstate(_ order: UUID, as id: UUID? = nil, until end: PeriodExtension? = nil) async throws -> UUID {
    let id = id ?? dependencies.random.uuid7(at: dependencies.clock.now())
    let account = try await dependencies.database.write(at: dependencies.clock.now()) { [self] transaction in
      guard let original = try orders.order(order, in: transaction) else { throw GrantError.unknownOrder }
      let transaction = try transaction.at(timeOf: original.accountID, in: environment)
      guard original.state.stage == .paid, original.state.revocation != nil, original.duplicateOf == nil,
        original.reinstates == nil, try !GrantRecords.hasGrant(order, in: transaction)
      else { throw GrantError.notRevoked }
      guard try AccountRecords.country(of: original.accountID, in: transaction) != nil else {
        throw GrantError.unknownAccount
      }
      let end = try Self.end(
        of: original.product.message, end?.end(after: transaction.now) ?? original.expiresAt, at: transaction.now)
      var grant = original.grant(id, because: .byOperator(id), until: end, at: transaction.now)
      try insert(&grant, of: original.plan, in: transaction)
      return original.accountID
    }
    changes.wake(account: account)
    return id
  }

  private func insert(_ grant: inout Order, of plan: SubscriptionPlan?, in transaction: StoreTransaction) throws {
    guard try grants.insert(grant: &grant, of: plan, in: transaction) else { throw GrantError.owned }
  }

  /// Returns the order of a gift, without writing it.
  private func order(
    _ id: UUID, of gift: Gift, at now: Date, in transaction: StoreTransaction
  ) throws -> Order {
    guard let country = try AccountRecords.country(of: gift.account, in: transaction) else {
      throw GrantError.unknownAccount
    }
    guard
      let quote = try quotes.quote(gift.product, quantity: 1, country: country, language: nil, of: gift.app)
    else { throw GrantError.notSold(in: country) }
    let product = quote.product.message
    guard OrderRequest.quantities.contains(gift.quantity), gift.quantity == 1 || product.kind == .consumable else {
      throw GrantError.quantity
    }
    var grant = Order(
      id: id, accountID: gift.account, appID: gift.app, product: quote.product, quantity: gift.quantity,
      country: country, price: quote.price, priceText: quote.priceText, state: .ownedAlready, reason: .grant,
      appAccountToken: nil, language: nil, createdAt: now, paidAt: now, originalOrderID: nil,
      cause: .byOperator(id))
    grant.expiresAt = try Self.end(of: product, gift.end?.end(after: now) ?? grant.expiry(paidAt: now), at: now)
    grant.setPrice(.zero(quote.price.currency))
    return grant
  }

  /// Returns the end of a grant. Throws for an end in the past, and for an end of a product that is no subscription.
  private static func end(of product: ProductMessage, _ end: Date?, at now: Date) throws -> Date? {
    let isSubscription = product.renews || product.kind == .nonRenewingSubscription
    guard end == nil || isSubscription else { throw GrantError.endless }
    guard end.map({ now < $0 }) ?? !product.renews else { throw GrantError.ended }
    return end
  }
}

/// An error of the operator's rejected grant.
public enum GrantError: Error, Sendable, Hashable, CustomStringConvertible {
  /// There is no such account, or it was removed.
  case unknownAccount
  /// There is no such order.
  case unknownOrder
  /// The order was not paid, is not revoked, or was granted again already.
  case notRevoked
  /// The account owns the product, or has a plan of its subscription group.
  case owned
  /// The app does not sell the product in the account's region.
  case notSold(in: CountryCode)
  /// Only a consumable has a quantity other than 1.
  case quantity
  /// The grant has an end, but its product is no subscription.
  case endless
  /// The end has passed.
  case ended

  /// The expected value.
  public var description: String {
    switch self {
    case .unknownAccount: "expected the id of an account that is not removed"
    case .unknownOrder: "expected the id of an order"
    case .notRevoked: "expected a paid order that is revoked, and that no other grant replaces"
    case .owned: "expected an account that neither owns the product nor has a plan of its subscription group"
    case .notSold(let country): "expected a product that the app sells in \(country.alpha2), the account's region"
    case .quantity:
      "expected a quantity from 1 to \(OrderRequest.quantities.upperBound) for a consumable, and 1 for all else"
    case .endless: "expected no end: only a subscription ends"
    case .ended: "expected an end that has not passed"
    }
  }
}
