public import Foundation
import OnsideCommerce
public import StoreBase
import StorePayments

extension PurchaseStory {
  /// The story of an order; empty for an unknown one.
  public init(of order: UUID, in connection: any SQLConnection) throws {
    guard let row = try connection.row("SELECT * FROM orders WHERE id = $1", [.text(order.lowercase)]) else {
      events = []
      return
    }
    let all =
      try Self.purchase(row) + Self.grants(of: order, in: connection) + Self.payments(of: order, in: connection)
      + Self.refunds(of: order, in: connection)
      + Self.disputes(of: order, in: connection) + Self.request(of: order, in: connection)
      + Self.logins(of: try row.text("account_id"), app: try row.text("app_id"), in: connection)
    events = all.sorted { ($0.date, $0.text) < ($1.date, $1.text) }
  }

  /// The tries to pay an order, and the money that went back, the oldest first.
  static func money(of order: UUID, in connection: any SQLConnection) throws -> [Event] {
    let all =
      try payments(of: order, in: connection) + refunds(of: order, in: connection)
      + disputes(of: order, in: connection)
    return all.sorted { ($0.date, $0.text) < ($1.date, $1.text) }
  }

  private static func purchase(_ row: SQLRow) throws -> [Event] {
    let device = try row.optionalText("held_by").map { " \($0)" } ?? ""
    let cause = try row.optionalText("cause").map(GrantCause.init(text:))
    let replaced = try row.optionalText("reinstates").map { "in place of the order \($0)" }
    let ordered = ("created_at", "ordered in the app \(try row.text("app_id"))")
    let facts: [(String, String)] = [
      ("page_opened_at", "payment page opened"),
      ("paid_at", cause.map { $0.story(of: replaced) } ?? "paid"),
      ("held_at", "last reserved for the app's installation\(device)"),
      ("finished_at", "finished: the app has given what was bought"),
      ("revoked_at", "taken back (\(try row.optionalText("revocation_reason") ?? "no reason"))"),
    ]
    return try ((cause == nil ? [ordered] : []) + facts).compactMap { column, text in
      try row.optionalDate(column).map { Event(date: $0, text: text) }
    }
  }

  private static func grants(of order: UUID, in connection: any SQLConnection) throws -> [Event] {
    try connection.rows(
      """
      SELECT g.id, g.cause, g.paid_at FROM orders g JOIN orders o ON o.account_id = g.account_id AND o.app_id = g.app_id
      WHERE o.id = $1 AND g.reinstates = o.id
      """, [.text(order.lowercase)]
    ).map { row in
      let cause = GrantCause(text: try row.text("cause"))
      return Event(date: try row.date("paid_at"), text: cause.story(of: "again as the order \(try row.text("id"))"))
    }
  }

  private static func payments(of order: UUID, in connection: any SQLConnection) throws -> [Event] {
    try connection.rows("SELECT * FROM payments WHERE order_id = $1", [.text(order.lowercase)]).map { row in
      let amount = Money(minorUnits: try row.integer("amount"), currency: try row.currency("currency"))
      let decline = try row.optionalText("decline").map { DeclineReason(rawValue: $0).inWords } ?? ""
      return Event(
        date: try row.date("created_at"),
        text: "payment of \(amount) with \(try row.text("provider")): \(try row.text("state"))\(decline)")
    }
  }

  private static func refunds(of order: UUID, in connection: any SQLConnection) throws -> [Event] {
    try RefundRecords.refunds(of: order, in: connection).flatMap { refund in
      let what = "refund of \(refund.amount) by the \(refund.origin.rawValue)"
      let asked = Event(date: refund.askedAt, text: "\(what) (\(refund.reason.rawValue))")
      guard let end = refund.endedAt, end != refund.askedAt else { return [asked] }
      let outcome = refund.state == .failed ? "failed: \(refund.failure ?? "no reason")" : refund.state.rawValue
      return [asked, Event(date: end, text: "\(what) \(outcome)")]
    }
  }

  private static func disputes(of order: UUID, in connection: any SQLConnection) throws -> [Event] {
    try DisputeRecords.disputes(of: order, in: connection).flatMap { dispute in
      let what = dispute.state == .warning ? "early fraud warning" : "dispute"
      let opened = Event(date: dispute.openedAt, text: "\(what) of \(dispute.amount) (\(dispute.reason))")
      return [opened] + (dispute.closedAt.map { [Event(date: $0, text: "\(what) \(dispute.state.rawValue)")] } ?? [])
    }
  }

  /// The buyer's request for a refund, without its note.
  private static func request(of order: UUID, in connection: any SQLConnection) throws -> [Event] {
    guard let request = try BuyerRefundRequestRecords.request(of: order, in: connection) else { return [] }
    let asked = Event(date: request.askedAt, text: "buyer asked for a refund (\(request.reason.rawValue))")
    let end = request.decidedAt.map { Event(date: $0, text: "buyer's request for a refund \(request.state.rawValue)") }
    return [asked] + (end.map { [$0] } ?? [])
  }

  /// When the buyer logged in to the order's app and the store's pages, and last used each login. A removed account has
  /// none.
  private static func logins(
    of account: String, app: String, in connection: any SQLConnection
  ) throws -> [Event] {
    let apps = try connection.rows(
      "SELECT * FROM sessions WHERE account_id = $1 AND app_id = $2", [.text(account), .text(app)]
    )
    .flatMap { try login($0, to: "the app \(try $0.text("app_id"))", used: "rotated_at") }
    let browsers = try connection.rows("SELECT * FROM web_sessions WHERE account_id = $1", [.text(account)])
      .flatMap { try login($0, to: "the store's pages", used: "used_at") }
    return apps + browsers
  }

  private static func login(_ row: SQLRow, to place: String, used: String) throws -> [Event] {
    let device = try row.optionalText("device").map { " with \($0)" } ?? ""
    let start = try row.date("created_at")
    let begun = Event(date: start, text: "logged in to \(place)\(device)")
    guard let last = try row.optionalDate(used), last != start else { return [begun] }
    return [begun, Event(date: last, text: "last used the login to \(place)\(device)")]
  }
}

extension DeclineReason {
  /// What the refusal means for later tries, behind the payment's state.
  fileprivate var inWords: String {
    switch self {
    case .never: ", the method will not pay any more"
    case .later: ", it may pay later"
    case .askBuyer: ", the bank asks for the buyer"
    case .unchargeable: ", the provider rejects the charge with every method"
    default: ", \(rawValue)"
    }
  }
}
