import Foundation
import StoreBase

/// Why the store made a grant. There is one grant of an order for each cause.
package struct GrantCause: Sendable, Hashable {
  /// The text in the database: `refund:ID`, `dispute:ID` or `operator:ID`.
  package let text: String

  /// A cause as it was stored.
  init(text: String) { self.text = text }

  /// A refund that has failed.
  static func refund(_ refund: Refund) -> GrantCause { GrantCause(text: "refund:\(refund.id)") }

  /// A dispute that is won, or in which a refund has failed.
  static func dispute(_ dispute: Dispute) -> GrantCause { GrantCause(text: "dispute:\(dispute.id)") }

  /// A command of the operator.
  ///
  /// - Parameter id: the id of the grant.
  static func byOperator(_ id: UUID) -> GrantCause { GrantCause(text: "operator:\(id.lowercase)") }

  /// A Boolean value that indicates whether the operator made the grant: a refund of the grant revokes it.
  var isByOperator: Bool { text.hasPrefix("operator:") }

  /// The party that caused the grant: `refund`, `dispute` or `operator`.
  var party: String { String(text.prefix { $0 != ":" }) }

  /// The event of a purchase's story.
  ///
  /// - Parameter order: how the granted and the revoked order are related; nil for a product without a revoked order.
  func story(of order: String?) -> String {
    let words = ["granted", isByOperator ? "by the operator" : nil, order, isByOperator ? nil : "(\(text))"]
    return words.compactMap(\.self).joined(separator: " ")
  }
}
