import Foundation

/// Something that happened, with its object as it was then.
struct Event: Sendable {
  let id: String
  let type: String
  let created: Date
  let object: JSON
  let previous: JSON?
  let requestID: String?
  let idempotencyKey: String?

  func json(pending: Int, isLive: Bool, version: String) -> JSON {
    var data: [String: JSON] = ["object": object]
    if let previous { data["previous_attributes"] = previous }
    return [
      "id": .text(id), "object": "event", "type": .text(type), "created": .time(created), "data": .object(data),
      "livemode": .bool(isLive), "pending_webhooks": .number(Int64(pending)), "api_version": .text(version),
      "request": ["id": .optional(requestID), "idempotency_key": .optional(idempotencyKey)],
    ]
  }
}

/// An address that events are sent to.
struct WebhookEndpoint: Sendable {
  /// A secret that calls are signed with.
  struct Secret: Sendable {
    let value: String
    /// When it ends, once it is rolled.
    var end: Date?
  }

  let id: String
  let created: Date
  var url: String
  var events: [String]
  var isEnabled = true
  var secrets: [Secret]

  func wants(_ type: String) -> Bool { isEnabled && (events.contains("*") || events.contains(type)) }

  func json(isLive: Bool, version: String, showsSecret: Bool) -> JSON {
    var members: [String: JSON] = [
      "id": .text(id), "object": "webhook_endpoint", "created": .time(created), "url": .text(url),
      "enabled_events": .list(events.map { .text($0) }), "status": isEnabled ? "enabled" : "disabled",
      "livemode": .bool(isLive), "metadata": [:], "api_version": .text(version), "application": nil,
      "description": nil,
    ]
    if showsSecret { members["secret"] = .optional(secrets.first?.value) }
    return .object(members)
  }
}

/// An event on its way to an address.
struct Delivery: Sendable {
  let id: Int
  let event: String
  let endpoint: String
  var due: Date
  /// How many tries failed.
  var tries = 0
  var isSending = false
  /// Whether it is one that a test added beside the first.
  var isCopy = false
}
