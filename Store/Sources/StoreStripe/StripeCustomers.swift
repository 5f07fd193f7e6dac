import Foundation
import StoreAccounts
import StoreBase

/// The customers at Stripe to whom saved methods and payments of accounts belong. Stripe learns an account's id, and
/// nothing else of the person.
package struct StripeCustomers: Sendable {
  /// The kind of outbox rows that delete a customer; the payload is its id.
  static let removalKind = "stripe.delete_customer"

  /// There is no customer for an account that was removed.
  struct AccountIsRemoved: Error, CustomStringConvertible {
    let description =
      "expected an account of the store, got one that was removed meanwhile: nothing is charged or saved"
  }

  let client: StripeClient
  let dependencies: BaseDependencies
  private let outbox = OutboxRecords()

  init(client: StripeClient, dependencies: BaseDependencies) {
    (self.client, self.dependencies) = (client, dependencies)
  }

  /// The customer of an account; makes one at the first time. Throws ``AccountIsRemoved``.
  func customer(of account: String) async throws -> String {
    if let known = try await known(account) { return known }
    return try await make(account, attempt: 1)
  }

  /// The customer of an account; nil before its first payment.
  func known(_ account: String) async throws -> String? {
    try await dependencies.database.read { try StripeCustomerRecords.customer(of: account, in: $0) }
  }

  /// Whether an account was removed, and its customer with it.
  func isRemoved(_ account: String) async throws -> Bool { try await removal(of: account) != nil }

  /// The time at which an account was removed, at the latest; nil for one that was not.
  func removal(of account: String) async throws -> Date? {
    let removal = try await dependencies.database.read { try AccountRecords.removal(of: account, in: $0) }
    guard let removal else { return dependencies.clock.now() }
    return removal
  }

  /// Writes the outbox row that deletes the customer of an account which is being removed.
  func forget(_ account: String, in transaction: StoreTransaction) throws {
    guard let customer = try StripeCustomerRecords.customer(of: account, in: transaction) else { return }
    try outbox.add(Self.removalKind, payload: customer, due: transaction.now, in: transaction)
  }

  /// Deletes a customer, unless it is gone.
  func remove(_ customer: String) async throws {
    guard try await !isGone(customer) else { return }
    try await client.deleteCustomer(customer)
  }

  /// Deletes the customer of a removed account which was made by a call whose answer was lost: within a day the same
  /// key names it again.
  func removeLost(of account: String) async throws {
    guard try await isRemoved(account) else { return }
    do { _ = try await make(account, attempt: 1) } catch is AccountIsRemoved {}
  }

  /// Makes another customer when an account's was deleted by hand.
  ///
  /// - Returns: the new one; nil when the account's customer is there.
  func replace(_ customer: String, of account: String) async throws -> String? {
    guard try await isGone(customer) else { return nil }
    try await dependencies.database.write { try StripeCustomerRecords.delete(customer, of: account, in: $0) }
    // The key of the first one would replay it.
    return try await make(account, attempt: 1, after: customer)
  }

  /// Whether a customer was deleted, or belongs to another account at Stripe than these keys.
  private func isGone(_ customer: String) async throws(StripeError) -> Bool {
    do throws(StripeError) { return try await client.customer(customer).isDeleted } catch {
      guard error.details.code == "resource_missing" else { throw error }
      return true
    }
  }

  private func make(_ account: String, attempt: Int64, after old: String? = nil) async throws -> String {
    let key = StripeIdempotencyKey("customer", subject: account, attempt: attempt, method: old)
    let made = try await client.createCustomer(metadata: [StripeMetadata.account: account], key: key)
    // Another process may have been first: the same key gave both the same customer, unless a day lay between.
    let customer = try await dependencies.database.write(at: dependencies.clock.now()) {
      [outbox] transaction -> String? in
      guard try AccountRecords.country(of: account, in: transaction) != nil else {
        try outbox.add(Self.removalKind, payload: made.id, due: transaction.now, in: transaction)
        return nil
      }
      try StripeCustomerRecords.insert(made.id, of: account, in: transaction)
      return try StripeCustomerRecords.customer(of: account, in: transaction) ?? made.id
    }
    guard let customer else { throw AccountIsRemoved() }
    return customer
  }
}

/// The names of what the store writes to Stripe's objects: by them an event, or a payment whose answer was lost, is
/// found again.
enum StripeMetadata {
  static let account = "account"
  /// ``ChargeRequest/id``.
  static let charge = "charge"
  static let order = "order"
  /// ``ChargedPeriod/subscription``.
  static let subscription = "subscription"
  /// ``ChargedPeriod/product``.
  static let product = "product"
  /// ``ChargedPeriod/number``.
  static let period = "period"
  /// Of a charge of 0, ISO 4217.
  static let currency = "currency"
  static let refund = "refund"
  static let setup = "setup"
  /// `yes` when a saved method pays: then a refusal of it is the end of the payment.
  static let isSaved = "saved"
  /// `yes` when the method is to be saved.
  static let remembers = "remember"
  static let yes = "yes"
}
