import Foundation
import OnsideCommerce
import StoreBase

/// A paid order, as its events and a merchant's backend have it: the purchase of the histories with its refunds and
/// disputes.
package struct OrderObject: Hashable, Sendable {
  var purchase: InAppPurchase
  /// The party that caused a grant: `refund`, `dispute` or `operator`; nil for every other order.
  var grantCause: String?
  var standing: OrderStanding

  /// The JSON of the object: the fields of a purchase in a history without `fetched_at`, then the fields of an order.
  package var json: String {
    var json = JSONWriter(capacity: 1024)
    json.object { json in
      PurchaseJSON.write(purchase, isDated: false, to: &json)
      json.name("disputes")
      json.array(standing.disputes) { json, dispute in json.object { Self.write(dispute, to: &$0) } }
      if let grantCause { json.field("grant_cause", grantCause) }
      json.field("refunded", standing.refunded)
      json.name("refunds")
      json.array(standing.refunds) { json, refund in json.object { Self.write(refund, to: &$0) } }
      json.field("state", OrderState.Stage.paid.rawValue)
    }
    return String(decoding: json.bytes, as: UTF8.self)
  }

  /// The JSON of a refund, as the order's has it.
  static func json(of refund: Refund) -> String {
    var json = JSONWriter(capacity: 256)
    json.object { write(OrderStanding.RefundPart(refund), to: &$0) }
    return String(decoding: json.bytes, as: UTF8.self)
  }

  /// The JSON field of the app's token for its user, as ``json`` has it.
  static func tokenField(_ token: String?) -> String {
    var json = JSONWriter(capacity: 64)
    json.optional("app_account_token", token)
    return String(decoding: json.bytes, as: UTF8.self)
  }

  private static func write(_ dispute: OrderStanding.DisputePart, to json: inout JSONWriter) {
    json.field("amount", dispute.amount)
    json.optional("answer_by", dispute.answerBy)
    json.optional("closed_at", dispute.closedAt)
    json.field("id", dispute.id)
    json.field("opened_at", dispute.openedAt)
    json.field("reason", dispute.reason)
    json.field("state", dispute.state)
  }

  private static func write(_ refund: OrderStanding.RefundPart, to json: inout JSONWriter) {
    json.field("amount", refund.amount)
    json.optional("ended_at", refund.endedAt)
    json.field("id", refund.id)
    json.field("origin", refund.origin)
    json.field("reason", refund.reason)
    json.field("requested_at", refund.requestedAt)
    json.field("state", refund.state)
  }
}
