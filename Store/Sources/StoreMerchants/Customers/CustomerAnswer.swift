import StoreBase
import StoreSales

/// A customer in an answer, with the signed list of its entitlements.
struct CustomerAnswer {
  let customer: MerchantCustomer
  /// A compact JWS.
  let signed: String

  /// The JSON of the customer.
  var json: [UInt8] {
    var json = JSONWriter(capacity: 4096)
    json.object { write(to: &$0) }
    return json.bytes
  }

  /// The JSON of several customers.
  static func json(of answers: [CustomerAnswer]) -> [UInt8] {
    var json = JSONWriter(capacity: 64 + answers.count * 4096)
    json.object { json in
      json.name("customers")
      json.array(answers) { json, answer in json.object { answer.write(to: &$0) } }
    }
    return json.bytes
  }

  private func write(to json: inout JSONWriter) {
    if let token = customer.appAccountToken {
      json.field("app_account_token", token)
    } else {
      json.null("app_account_token")
    }
    json.field("entitlements", json: customer.object.entitlements)
    json.field("orders", json: "[\(customer.orders.joined(separator: ","))]".utf8)
    json.field("sequence", customer.sequence)
    json.field("signed", signed)
    json.field("subject", customer.object.subject)
    json.field("subscriptions", json: customer.object.subscriptions)
  }
}
