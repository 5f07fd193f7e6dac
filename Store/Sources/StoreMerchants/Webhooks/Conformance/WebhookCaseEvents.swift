import Foundation
import StoreBase
import StoreSales

/// The events of the conformance run: `entitlement.changed` of customers that no store has, a customer for each case.
struct WebhookCaseEvents: Sendable {
  /// A type that no version of the store has.
  static let unknownType = "webhook_test.unknown"

  let app: String
  /// The name of the run, which makes its ids and subjects unique.
  let run: String
  let now: Date

  /// The customer of a case.
  func subject(of name: String) -> String { "webhook-test-\(run)-\(name.replacing(" ", with: "-"))" }

  /// The id of an event, also its `webhook-id`.
  func id(_ number: Int64) -> MerchantEventID { MerchantEventID(epoch: "test-\(run)", number: number) }

  /// The body of an event as the store sends it.
  /// - Parameter minimumSize: bytes that the body has at least, by further entitlements.
  func body(
    of name: String, number: Int64, sequence: Int64 = 1, type: String = "entitlement.changed", minimumSize: Int = 0
  ) -> [UInt8] {
    var count = 1
    while true {
      let event = event(name, number: number, sequence: sequence, type: type, entitlements: count)
      var json = JSONWriter(capacity: minimumSize + 1024)
      event.write(to: &json)
      if json.bytes.count >= minimumSize { return json.bytes }
      count += max(1, (minimumSize - json.bytes.count) / 512)
    }
  }

  private func event(
    _ name: String, number: Int64, sequence: Int64, type: String, entitlements count: Int
  ) -> FeedEvent {
    let subject = subject(of: name)
    return FeedEvent(
      id: id(number), app: app, kind: .customer, object: subject, sequence: sequence, type: type, cause: nil,
      subject: subject, appAccountToken: nil, occurredAt: now, createdAt: now,
      data: customer(subject, sequence: sequence, entitlements: count))
  }

  /// The JSON of a customer. The product is named after the sequence, so that a receiver's state shows its newest
  /// event.
  private func customer(_ subject: String, sequence: Int64, entitlements count: Int) -> String {
    var json = JSONWriter()
    json.object { json in
      json.name("entitlements")
      json.array(Array(1...count)) { json, place in
        json.object { write(place: place, sequence: sequence, to: &$0) }
      }
      json.field("subject", subject)
      json.field("subscriptions", json: "[]".utf8)
    }
    return String(decoding: json.bytes, as: UTF8.self)
  }

  private func write(place: Int, sequence: Int64, to json: inout JSONWriter) {
    let order = "\(run)-\(sequence)-\(place)"
    json.field("is_active", true)
    json.field("order_id", order)
    json.field("original_order_id", order)
    json.field("product_id", "webhook_test_\(sequence)")
    json.field("product_type", "NON_CONSUMABLE")
    json.field("purchase_date", now)
  }
}
