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

  /// The longest address, in bytes of UTF-8.
  package static let longestURL = 2000
  /// The lifetime of the previous secret after a rotation, in seconds.
  package static let overlap: TimeInterval = 24 * 3600

  package let id: String
  package let app: String
  package let url: String
  /// The types of its events; empty for all.
  package let types: Set<String>
  /// True if the operator allows http and an address in a private network.
  package let allowsPrivate: Bool
  package let createdAt: Date
  /// The cursor: the number of the newest event that was delivered, skipped for its type, or has a row of its own.
  package let number: Int64
  /// The time of the first failure after the last success; nil after a success.
  package let failingSince: Date?
  package let disabledAt: Date?
  package let disabledReason: DisabledReason?
  /// The end of the previous secret; nil without one.
  package let olderSecretEnd: Date?

  /// A new id.
  static func id(random: any RandomSource) -> String { Hexadecimal.encode(random.bytes(8)) }

  /// True for an address of https, or also of http if private addresses are allowed, without user and fragment.
  package static func isValid(url text: String, allowsPrivate: Bool) -> Bool {
    guard text.utf8.count <= longestURL, text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
      let url = URLComponents(string: text), let host = url.host, !host.isEmpty,
      url.user == nil, url.password == nil, url.fragment == nil
    else { return false }
    return url.scheme == "https" || allowsPrivate && url.scheme == "http"
  }
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
