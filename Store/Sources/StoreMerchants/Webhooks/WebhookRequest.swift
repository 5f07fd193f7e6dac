package import Foundation

/// One attempt to deliver an event to an endpoint.
package struct WebhookRequest: Sendable {
  /// The address of the endpoint.
  package let url: String
  /// True if the operator allows a private address.
  package let allowsPrivate: Bool
  /// The id of the event, the same in every attempt.
  package let id: String
  /// The time of the attempt by the machine's clock.
  package let timestamp: Date
  /// The JSON of the event.
  package let body: [UInt8]
  /// The valid secrets of the endpoint; two after a rotation.
  package let secrets: [WebhookSecret]

  package init(
    url: String, allowsPrivate: Bool, id: String, timestamp: Date, body: [UInt8], secrets: [WebhookSecret]
  ) {
    self.url = url
    self.allowsPrivate = allowsPrivate
    self.id = id
    self.timestamp = timestamp
    self.body = body
    self.secrets = secrets
  }
}
