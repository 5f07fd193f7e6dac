import Foundation

@testable import OnsideKit

/// A store whose answers are fixed texts, without a network. Each order is open when it is made and paid when it is
/// asked for.
actor ScriptedStore: HTTPTransport {
  /// The method and path of each request, in order.
  private(set) var requests: [String] = []

  /// The number of polls. The second one waits, because nothing changes.
  var polls: Int { requests.count { $0 == "GET /v1/sync" } }

  func send(_ request: HTTPRequest) async throws(StoreError) -> HTTPAnswer {
    let path = request.url.path()
    requests.append("\(request.method) \(path)")
    switch path {
    case "/v1/sync" where polls == 1:
      return Self.answer(200, #"{"cursor":"1","country":"NL","orders":[],"starts_over":true}"#)
    case "/v1/sync":
      for await _ in AsyncStream<Void>.makeStream().stream {}
      throw .cancelled
    case "/v1/orders":
      let id = request.headers["Idempotency-Key"] ?? ""
      return Self.answer(
        201, Self.order(id, #""state":"open","payment_url":"https://store.example/pay/token""#))
    case let path where path.hasPrefix("/v1/orders/"):
      let paid = #""state":"paid","paid_at":"2027-01-15T08:00:00Z","delivery":{"holder":"here"}"#
      return Self.answer(200, Self.order(request.url.lastPathComponent, paid))
    default: return Self.answer(404, "")
    }
  }

  private static func answer(_ status: Int, _ body: String) -> HTTPAnswer {
    HTTPAnswer(status: status, headers: ["onside-store": "1"], body: Data(body.utf8))
  }

  private static func order(_ id: String, _ state: String) -> String {
    """
    {"id":"\(id)","original_order_id":"\(id)",\(state),"reason":"PURCHASE","country":"NL",\
    "price":{"amount":499,"currency":"EUR","formatted":"€ 4,99"},"created_at":"2027-01-15T08:00:00Z","finished":false,\
    "product":{"id":"coins","kind":"CONSUMABLE","title":"Coins","description":"","offers":[],\
    "price":{"amount":499,"currency":"EUR","formatted":"€ 4,99"}}}
    """
  }
}
