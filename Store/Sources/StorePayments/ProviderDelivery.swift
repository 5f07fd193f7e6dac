package import Foundation
package import HTTPTypes

/// A request that came to the address of a provider's events, as it came.
package struct ProviderDelivery: Sendable {
  /// The raw body, of which the signature is.
  package let body: [UInt8]
  /// All header fields.
  package let headers: HTTPFields
  /// When it came, by the machine's clock, which a sandbox does not move: for the tolerance of signatures.
  package let receivedAt: Date

  package init(body: [UInt8], headers: HTTPFields, receivedAt: Date) {
    self.body = body
    self.headers = headers
    self.receivedAt = receivedAt
  }
}

/// What a provider tells of one thing that happened.
package struct ProviderNotice: Sendable, Hashable {
  /// The provider's id of it, the same for every repetition: 1 to 128 bytes. The store takes in each once.
  package let id: String
  /// What is to be known of it.
  package let content: Content

  package init(id: String, content: Content) {
    self.id = id
    self.content = content
  }

  package enum Content: Sendable, Hashable {
    /// All is said, and is applied before the request is answered.
    case event(ProviderEvent)
    /// The state at the provider decides: the notice is written down, the request is answered, and
    /// ``PaymentProvider/events(of:)`` fetches what it is about afterwards.
    ///
    /// - Parameter subject: what to fetch, in the provider's own words; no personal data.
    case lookUp(_ subject: String)
  }
}

/// A part of the list of what happened.
package struct ProviderNoticePage: Sendable {
  /// The notices of the part.
  package let notices: [ProviderNotice]
  /// Where the next part begins; nil when there is none.
  package let cursor: String?

  package init(notices: [ProviderNotice], cursor: String?) {
    self.notices = notices
    self.cursor = cursor
  }
}
