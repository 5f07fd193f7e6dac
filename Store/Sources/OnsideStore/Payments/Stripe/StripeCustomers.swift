import Foundation

/// The customers at Stripe to whom saved methods and payments of accounts belong. Stripe learns an account's id, and
/// nothing else of the person.
struct StripeCustomers: Sendable {
  /// The customers as a part of an account's export.
  static let export = AccountExport.Part(
    name: "stripe_customers", table: "stripe_customers", condition: "account_id = $1")

  let client: StripeClient
  let dependencies: StoreDependencies

  /// The customer of an account; makes one at the first time.
  func customer(of account: String) async throws -> String {
    if let known = try await known(account) { return known }
    return try await make(account, attempt: 1)
  }

  /// The customer of an account; nil before its first payment.
  func known(_ account: String) async throws -> String? {
    try await dependencies.database.read { connection in
      try connection.row("SELECT customer FROM stripe_customers WHERE account_id = $1", [.text(account)])
        .map { try $0.text("customer") }
    }
  }

  /// Makes another customer when an account's was deleted by hand.
  ///
  /// - Returns: the new one; nil when the account's customer is there.
  func replace(_ customer: String, of account: String) async throws -> String? {
    guard try await isGone(customer) else { return nil }
    try await dependencies.database.write { connection in
      try connection.execute(
        "DELETE FROM stripe_customers WHERE account_id = $1 AND customer = $2", [.text(account), .text(customer)])
    }
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
    return try await dependencies.database.write(at: dependencies.clock.now()) { transaction in
      try transaction.execute(
        """
        INSERT INTO stripe_customers(account_id, customer, created_at) VALUES ($1, $2, $3)
        ON CONFLICT(account_id) DO NOTHING
        """, [.text(account), .text(made.id), .date(transaction.now)])
      return try transaction.row("SELECT customer FROM stripe_customers WHERE account_id = $1", [.text(account)])
        .map { try $0.text("customer") } ?? made.id
    }
  }
}

/// The names of what the store writes to Stripe's objects: by them an event, or a payment whose answer was lost, is
/// found again.
enum StripeMetadata {
  static let account = "account"
  /// ``ChargeRequest/id``.
  static let charge = "charge"
  static let order = "order"
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
