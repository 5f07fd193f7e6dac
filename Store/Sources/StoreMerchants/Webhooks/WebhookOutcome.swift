/// The outcome of an attempt. Stored ones may have names of a later version.
package struct WebhookOutcome: RawRepresentable, Hashable, Sendable, CustomStringConvertible {
  /// The name of the outcome.
  package let rawValue: String

  /// Makes an outcome from its name; unknown names are kept.
  package init(rawValue: String) { self.rawValue = rawValue }

  /// The name of the outcome.
  package var description: String { rawValue }

  /// A status 2xx.
  package static let delivered = WebhookOutcome(rawValue: "delivered")
  /// Another status.
  package static let rejectedStatus = WebhookOutcome(rawValue: "rejected_status")
  /// A status 3xx: redirects are not followed.
  package static let redirected = WebhookOutcome(rawValue: "redirected")
  /// The status 410, with which an endpoint rejects all further requests.
  package static let gone = WebhookOutcome(rawValue: "gone")
  /// No connection or no status within the time limit.
  package static let timedOut = WebhookOutcome(rawValue: "timed_out")
  /// No connection, or a connection that ended without a status.
  package static let noAnswer = WebhookOutcome(rawValue: "no_answer")
  /// No TLS connection, such as with an expired certificate.
  package static let tlsFailed = WebhookOutcome(rawValue: "tls_failed")
  /// A name without an address.
  package static let nameUnknown = WebhookOutcome(rawValue: "name_unknown")
  /// An address that is not valid or not permitted.
  package static let addressRejected = WebhookOutcome(rawValue: "address_rejected")
  /// A stored secret that this store has not sealed: nothing was sent.
  package static let secretUnreadable = WebhookOutcome(rawValue: "secret_unreadable")
  /// The end of the process before the end of the exchange: the attempt does not count.
  package static let cancelled = WebhookOutcome(rawValue: "cancelled")
}
