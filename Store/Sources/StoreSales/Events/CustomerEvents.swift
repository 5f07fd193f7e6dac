import Foundation
import OnsideAPI
import StoreAccounts
import StoreBase

/// The events of customers: `entitlement.changed` and `customer.removed`.
enum CustomerEvents {
  /// The cause of an event without a change: the first one of a customer after an upgrade, or in an epoch.
  static let state = "state"

  /// Compares the customer's entitlements before the commit with those of its newest event, and appends
  /// `entitlement.changed` if they differ. A customer without events gets its first one, also without entitlements.
  ///
  /// - Parameter products: ordered products in memory.
  static func note(
    _ customer: Customer, products: OrderedProducts = OrderedProducts(), in transaction: StoreTransaction
  ) throws {
    try transaction.beforeCommit("customer \(customer.app) \(customer.account)") { transaction in
      guard let object = try object(of: customer, products: products, in: transaction) else { return }
      let (newest, base) = try MerchantEventRecords.newest(
        .customer, customer.subject, in: customer.app, in: transaction)
      if let newest, object.hasEntitlements(of: newest.data) { return }
      try append(
        EventNote(type: .entitlementChanged), of: customer, object, after: newest, base: base, in: transaction)
    }
  }

  /// Appends `entitlement.changed` with the cause `state`, whatever the newest event has.
  static func appendState(of customer: Customer, in transaction: StoreTransaction) throws {
    guard let object = try object(of: customer, products: OrderedProducts(), in: transaction) else { return }
    let (newest, base) = try MerchantEventRecords.newest(.customer, customer.subject, in: customer.app, in: transaction)
    try append(
      EventNote(type: .entitlementChanged, cause: state), of: customer, object, after: newest, base: base,
      in: transaction)
  }

  /// Appends `customer.removed` for each app of an account, before its rows are cleared.
  static func appendRemoval(of account: String, in transaction: StoreTransaction) throws {
    for customer in try CustomerRecords.customers(of: account, in: transaction) {
      let (newest, base) = try MerchantEventRecords.newest(
        .customer, customer.subject, in: customer.app, in: transaction)
      try append(
        EventNote(type: .customerRemoved), of: customer, CustomerObject(withoutState: customer.subject),
        after: newest, base: base, in: transaction)
    }
  }

  /// The customer as it is now; nil after the removal of its account, which has no later events of its customers.
  private static func object(
    of customer: Customer, products: OrderedProducts, in transaction: StoreTransaction
  ) throws -> CustomerObject? {
    guard try AccountRecords.country(of: customer.account, in: transaction) != nil else { return nil }
    return try CustomerObject(CustomerState(of: customer, products: products, in: transaction), in: transaction)
  }

  private static func append(
    _ note: EventNote, of customer: Customer, _ object: CustomerObject, after newest: NewestEvent?, base: Int64,
    in transaction: StoreTransaction
  ) throws {
    let token = try CustomerRecords.appAccountToken(of: customer, in: transaction)
    let event = EventObject(
      kind: .customer, id: customer.subject, customer: customer, appAccountToken: token)
    try MerchantEventRecords.append([note], of: event, data: object.data, after: newest, base: base, in: transaction)
    try CustomerRecords.save(customer, epoch: SyncEpoch.current(in: transaction), in: transaction)
  }
}
