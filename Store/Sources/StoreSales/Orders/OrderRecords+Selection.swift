package import Foundation
import StoreBase

extension OrderRecords {
  /// Which orders of a customer are read. A duplicate is an order for a product that the account owned already: it cost
  /// nothing.
  package enum Selection: Sendable {
    case all
    /// The newest, without duplicates and without next periods of subscriptions that are not paid: so many at most.
    case newest(Int)
    /// Those that a device without a cursor is told of: all that are paid or whose payment is under way, duplicates as
    /// well, but for consumables that are finished and not refunded.
    case needed
    /// Those for a restorable product that were paid for.
    case paidFor(product: String)
    /// Those that were paid for and give access for a time, expired ones as well.
    case paidSubscriptions
    /// Those for restorable products that were paid for and not refunded; subscriptions among them may have expired.
    case entitled
    case duplicates(of: UUID)
    /// The grants that replace a revoked order, also revoked ones.
    case grants(of: UUID)
    /// Those with a change after this one. Devices are told of a subscription's next period when it is paid.
    case changed(since: Int64)

    /// The condition on orders as `o`. `$1` and `$2` are account and app; arguments of its own follow.
    var condition: (sql: String, arguments: [SQLValue]) {
      let own = "o.account_id = $1 AND o.app_id = $2"
      let restorable = "is_restorable = 1 AND state = 'paid'"
      let isPaid = "state = 'paid' AND duplicate_of IS NULL"
      return switch self {
      case .all: (own, [])
      case .newest(let limit):
        (
          Self.found(
            "duplicate_of IS NULL AND (reason <> 'RENEWAL' OR state = 'paid') "
              + "ORDER BY created_at DESC, id DESC LIMIT $3"), [.integer(limit)]
        )
      case .needed:
        (
          Self.found(
            "state = 'paid' AND finished_at IS NULL", "state = 'processing' AND reason <> 'RENEWAL'",
            "state = 'paid' AND revoked_at IS NOT NULL", restorable), []
        )
      case .paidFor(let product):
        (Self.found("\(restorable) AND duplicate_of IS NULL AND product_id = $3"), [.text(product)])
      case .paidSubscriptions: (Self.found("\(isPaid) AND expires_at IS NOT NULL"), [])
      case .entitled: (Self.found("\(restorable) AND duplicate_of IS NULL AND revoked_at IS NULL"), [])
      case .duplicates(let id): (Self.found("\(restorable) AND duplicate_of = $3"), [.text(id.lowercase)])
      case .grants(let id): (Self.found("reinstates = $3"), [.text(id.lowercase)])
      case .changed(let change):
        ("\(own) AND o.changed > $3 AND (o.reason <> 'RENEWAL' OR o.state = 'paid')", [.integer(change)])
      }
    }

    /// Orders for which one of some conditions holds, most of which a partial index answers. They are found by queries
    /// of their own: one query that also sorts by the change would read all orders of the account in that order.
    private static func found(_ conditions: String...) -> String {
      let queries = conditions.map { "SELECT id FROM orders WHERE account_id = $1 AND app_id = $2 AND \($0)" }
      return "o.id IN (\(queries.joined(separator: " UNION ALL ")))"
    }
  }
}
