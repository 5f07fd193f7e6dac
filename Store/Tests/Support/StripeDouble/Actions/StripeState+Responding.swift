import Foundation

extension StripeState {
  /// Does what a request asks, or refuses it.
  mutating func respond(to request: StripeRequest) throws(Refusal) -> JSON {
    let (form, path) = (request.form, request.path)
    let isPage = request.apiKey == publishableKey
    switch (request.method, path.first, path.count) {
    case (_, "customers", _): return try customer(request)
    case (_, "payment_methods", _): return try method(request)
    case (_, "setup_intents", _): return try setup(request, isPage: isPage)
    case (_, "payment_intents", _): return try expand(payment(request, isPage: isPage), form: form)
    case (_, "refunds", _): return try refund(request)
    case (_, "disputes", _): return try dispute(request)
    case (_, "webhook_endpoints", _): return try endpoint(request)
    case ("GET", "charges", _): return try charge(path, form: form)
    case ("GET", "events", _): return try event(path, form: form)
    case ("GET", "radar", 2...): return try warning(path, form: form)
    case ("GET", "balance_transactions", _): return try transaction(path, form: form)
    case ("GET", "payouts", _): return try payout(path, form: form)
    case ("GET", "balance", 1): return balance
    case ("GET", "account", 1): return account
    default: throw unknown(request)
    }
  }

  func unknown(_ request: StripeRequest) -> Refusal {
    Refusal(
      status: 404,
      message: "Unrecognized request URL (\(request.method): /v1/\(request.path.joined(separator: "/"))).")
  }

  /// A page of a list, the newest first.
  func list<Element>(
    _ elements: [Element], form: Form, url: String, id: (Element) -> String, json: (Element) -> JSON
  ) throws(Refusal) -> JSON {
    let limit = Int(try form.number("limit") ?? 10)
    guard (1...100).contains(limit) else {
      throw .invalid("This value must be between 1 and 100.", code: "parameter_invalid_integer", param: "limit")
    }
    var rest = elements[...]
    if let after = try form.text("starting_after") {
      guard let place = elements.firstIndex(where: { id($0) == after }) else {
        throw .missing("object", id: after, param: "starting_after", status: 400)
      }
      rest = elements[(place + 1)...]
    } else if let before = try form.text("ending_before") {
      guard let place = elements.firstIndex(where: { id($0) == before }) else {
        throw .missing("object", id: before, param: "ending_before", status: 400)
      }
      rest = elements[..<place].suffix(limit)
    }
    return [
      "object": "list", "url": .text("/v1/\(url)"), "has_more": .bool(rest.count > limit),
      "data": .list(rest.prefix(limit).map(json)),
    ]
  }

  /// The parameters of every list.
  static let listParameters: Set<String> = ["limit", "starting_after", "ending_before", "created"]

  private var account: JSON {
    [
      "id": .text(accountID), "object": "account", "country": "NL", "charges_enabled": true, "payouts_enabled": true,
      "details_submitted": true, "default_currency": "eur", "type": "standard",
    ]
  }
}
