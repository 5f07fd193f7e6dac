package import Foundation
package import StoreBase
package import StoreSales

/// An event with its number.
package struct FeedEvent: Sendable, Hashable {
  package let id: MerchantEventID
  package let app: String
  /// The kind of the object, which is also the name of its JSON.
  package let kind: EventObject.Kind
  package let object: String
  package let sequence: Int64
  package let type: String
  package let cause: String?
  package let subject: String
  package let appAccountToken: String?
  /// The account's time of the change.
  package let occurredAt: Date
  /// The store's time of the change.
  package let createdAt: Date
  /// The JSON of the object.
  package let data: String
}

extension FeedEvent {
  /// The event as the feed and a webhook have it.
  package var json: [UInt8] {
    var writer = JSONWriter()
    write(to: &writer)
    return writer.bytes
  }

  /// Writes the event as the feed returns it.
  package func write(to json: inout JSONWriter) {
    json.object { json in
      json.name("data")
      json.object(writeData)
      json.field("id", id.text)
      json.field("timestamp", createdAt)
      json.field("type", type)
    }
  }

  /// The fields in the order of their names. The object's own field has the name of its kind.
  private func writeData(to json: inout JSONWriter) {
    json.field("app", app)
    if let appAccountToken { json.field("app_account_token", appAccountToken) } else { json.null("app_account_token") }
    if let cause { json.field("cause", cause) } else { json.null("cause") }
    if kind == .customer { json.field("customer", json: data.utf8) }
    json.field("number", id.number)
    json.field("object", kind.rawValue)
    json.field("object_id", object)
    json.field("occurred_at", occurredAt)
    if kind == .order { json.field("order", json: data.utf8) }
    json.field("sequence", sequence)
    json.field("subject", subject)
    if kind == .subscription { json.field("subscription", json: data.utf8) }
  }
}
