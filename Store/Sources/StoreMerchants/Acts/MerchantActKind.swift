package import OnsideAPI

/// An act of a merchant's server. The raw values are the names of the same commands in the audit.
package enum MerchantActKind: String, Sendable, Hashable, CaseIterable {
  case refund
  case grant
  case extend = "subscription extend"
  case stop = "subscription stop"

  /// The route that requests it.
  package var route: Route {
    switch self {
    case .refund: .merchantRefund
    case .grant: .merchantGrant
    case .extend: .merchantExtension
    case .stop: .merchantStop
    }
  }

  /// The act of a route; nil for a route that changes nothing.
  package init?(_ route: Route) {
    guard let kind = Self.allCases.first(where: { $0.route == route }) else { return nil }
    self = kind
  }
}
