import Foundation
import HTTPTypes

/// A request that came to the address of a provider's events, as it came.
struct ProviderDelivery: Sendable {
  /// The raw body, of which the signature is.
  let body: [UInt8]
  /// All header fields.
  let headers: HTTPFields
  /// When it came, by the machine's clock, which a sandbox does not move: for the tolerance of signatures.
  let receivedAt: Date
}

/// What a provider tells of one thing that happened.
struct ProviderNotice: Sendable, Hashable {
  /// The provider's id of it, the same for every repetition: 1 to 128 bytes. The store takes in each once.
  let id: String
  /// What is to be known of it.
  let content: Content

  enum Content: Sendable, Hashable {
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
struct ProviderNoticePage: Sendable {
  /// The notices of the part.
  let notices: [ProviderNotice]
  /// Where the next part begins; nil when there is none.
  let cursor: String?
}
