import Foundation
import OnsideAPI
import OnsideCommerce

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase

/// An event of a customer, as the database has it.
struct CustomerEvent {
  let sequence: Int64
  let type: MerchantEventType
  let cause: String?
  let appAccountToken: String?
  let occurredAt: Date
  /// The JSON of the customer.
  let data: String

  init(_ row: SQLRow) throws {
    sequence = try row.integer("sequence")
    type = MerchantEventType(rawValue: try row.text("type"))
    cause = try row.optionalText("cause")
    appAccountToken = try row.optionalText("app_account_token")
    occurredAt = try row.date("occurred_at")
    data = try row.text("data")
  }

  /// The customer after the event.
  func state() throws -> MerchantCustomerState {
    try WireCoding.decoder().decode(MerchantCustomerState.self, from: Data(data.utf8))
  }
}

extension Shopper {
  /// The pseudonym of the account in an app.
  func subject(in app: String = TestShop.app.id) -> String { Customer(account: accountID, app: app).subject }

  /// The events of the account's customer in an app, the oldest first.
  func customerEvents(in app: String = TestShop.app.id) async throws -> [CustomerEvent] {
    let subject = subject(in: app)
    return try await store.core.dependencies.database.read { connection in
      try connection.rows(
        """
        SELECT * FROM merchant_events WHERE app_id = $1 AND kind = 'customer' AND object_id = $2 ORDER BY sequence
        """, [.text(app), .text(subject)]
      ).map(CustomerEvent.init)
    }
  }

  /// The only entitlement in the newest event of the account's customer.
  func newestEntitlement() async throws -> MerchantEntitlementMessage? {
    let entitlements = try await customerEvents().last?.state().entitlements ?? []
    return entitlements.count == 1 ? entitlements.first : nil
  }
}
