package import Foundation

extension OrderRecords {
  /// Which orders of a customer are read. A duplicate is an order for a product that the account owned already: it cost
  /// nothing.
  package enum Selection: Sendable {
    case all
    case withoutDuplicates
    /// Those that are paid, or whose payment is under way; duplicates as well.
    case paidOrProcessing
    /// Those that were paid for, refunded ones as well.
    case paid
    /// Those for a product that were paid for.
    case paidFor(product: String)
    /// Those that were paid for and give access for a time, expired ones as well.
    case paidSubscriptions
    /// Those that were paid for and not refunded; subscriptions among them may have expired.
    case entitled
    case duplicates(of: UUID)
    /// Those with a change after this one.
    case changed(since: Int64)

    /// The condition on orders as `o`. `$1` and `$2` are account and app; arguments of its own follow.
    var condition: (sql: String, arguments: [SQLValue]) {
      let isPaid = "o.state = 'paid' AND o.duplicate_of IS NULL"
      return switch self {
      case .all: ("1 = 1", [])
      case .withoutDuplicates: ("o.duplicate_of IS NULL", [])
      case .paidOrProcessing: ("o.state IN ('processing', 'paid')", [])
      case .paid: (isPaid, [])
      case .paidFor(let product): ("\(isPaid) AND o.product_id = $3", [.text(product)])
      case .paidSubscriptions: ("\(isPaid) AND o.expires_at IS NOT NULL", [])
      case .entitled: ("\(isPaid) AND o.revoked_at IS NULL", [])
      case .duplicates(let id): ("o.duplicate_of = $3", [.text(id.lowercase)])
      case .changed(let change): ("o.changed > $3", [.integer(change)])
      }
    }
  }
}
