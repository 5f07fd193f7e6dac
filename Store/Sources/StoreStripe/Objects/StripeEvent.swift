/// Something that happened. Its object is as it was then; where state decides, the object is asked for again.
struct StripeEvent: StripeObject {
  /// The object that the event is about, as far as all kinds have it.
  struct Object: Decodable, Sendable {
    /// Its kind: `payment_intent`, `refund`, `dispute`, ...
    let object: String
    var id: String?
  }

  struct Payload: Decodable, Sendable { let object: Object }

  let id: String
  let type: String
  let livemode: Bool
  let data: Payload
}

/// An address that events are sent to.
struct StripeWebhookEndpoint: StripeObject {
  let id: String
  let url: String
  /// `enabled` or `disabled`.
  let status: String
  /// Names of events, or `*` for all.
  let enabledEvents: [String]
}
