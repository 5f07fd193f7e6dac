package import Foundation
import OnsideAPI
import StoreBase

/// An address that gets the events of an app.
package struct WebhookEndpoint: Sendable, Hashable {
  /// The reasons for which an endpoint gets no events.
  package enum DisabledReason: String, Sendable, Hashable {
    /// `onside webhook disable`.
    case byOperator = "operator"
    /// Status 410.
    case gone
    /// Five days of failures only.
    case failures
  }

  /// The lifetime of the previous secret after a rotation, in seconds.
  package static let overlap: TimeInterval = 24 * 3600

  package let id: String
  package let app: String
  package let url: String
  /// The types of its events; empty for all.
  package let types: Set<String>
  /// True if the operator allows a private address.
  package let allowsPrivate: Bool
  package let createdAt: Date
  /// The number of the newest event that was delivered, skipped for its type, or has a row of its own.
  package let cursor: Int64
  /// The time of the first failure after the last success; nil after a success.
  package let failingSince: Date?
  package let disabledAt: Date?
  package let disabledReason: DisabledReason?
  /// The end of the previous secret; nil without one.
  package let olderSecretEnd: Date?

  /// A new id.
  static func id(random: any RandomSource) -> String { Hexadecimal.encode(random.bytes(8)) }
}

/// An endpoint, as it is listed.
package struct WebhookEndpointState: Sendable, Hashable {
  package let endpoint: WebhookEndpoint
  /// Failed deliveries with another retry.
  package let waiting: Int
  /// Failed deliveries without another retry.
  package let exhausted: Int
}

/// A new endpoint.
package struct NewWebhookEndpoint: Sendable {
  package let endpoint: WebhookEndpoint
  /// The secret, which is stored sealed.
  package let secret: WebhookSecret
}
