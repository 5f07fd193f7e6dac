import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase

/// A customer as its events and a merchant's backend have it. The JSON begins with the entitlements, so that they are
/// compared with those of an event as text.
package struct CustomerObject: Hashable, Sendable {
  /// The pseudonym of the account in the app.
  package let subject: String
  /// A JSON array.
  package let entitlements: [UInt8]
  /// A JSON array.
  package let subscriptions: [UInt8]

  /// The state of a customer at the time of a transaction.
  init(_ state: CustomerState, in connection: any SQLConnection) throws {
    var json = JSONWriter()
    json.array(state.entitlements) { json, entitlement in
      json.object { EntitlementJSON.write(entitlement, at: state.now, to: &$0) }
    }
    subject = state.customer.subject
    entitlements = json.bytes
    let objects = try state.subscriptions.compactMap { subscription in
      try SubscriptionEventRecords.order(subscription.lastOrder, in: connection).map {
        SubscriptionObject(subscription, pricedLike: $0, at: state.now)
      }
    }
    subscriptions = Array(try WireCoding.encoder().encode(objects))
  }

  /// A customer without entitlements and subscriptions: one whose account was removed.
  init(withoutState subject: String) {
    self.subject = subject
    entitlements = Array("[]".utf8)
    subscriptions = Array("[]".utf8)
  }

  /// The JSON of the object.
  var data: String {
    var json = JSONWriter(capacity: 256 + entitlements.count + subscriptions.count)
    json.object { json in
      json.field("entitlements", json: entitlements)
      json.field("subject", subject)
      json.field("subscriptions", json: subscriptions)
    }
    return String(decoding: json.bytes, as: UTF8.self)
  }

  /// Whether the JSON of an event has the same entitlements.
  func hasEntitlements(of data: String) -> Bool {
    data.utf8.starts(with: Array("{\"entitlements\":".utf8) + entitlements + Array(",".utf8))
  }
}
