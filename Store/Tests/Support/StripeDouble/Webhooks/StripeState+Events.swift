import Foundation

extension StripeState {
  /// How many seconds back the list of events goes.
  static let eventMemory = 30.0 * 86_400

  func event(_ path: [String], form: Form) throws(Refusal) -> JSON {
    if path.count == 1 {
      try form.allow(Self.listParameters.union(["type", "types", "delivery_success"]))
      let (type, types) = (try form.text("type"), try form.list("types"))
      guard type == nil || types.isEmpty else { throw .invalid("You may pass only one of type or types.") }
      guard types.count <= 20 else { throw .invalid("Expected at most 20 types.", param: "types") }
      let (created, wasDelivered) = (try form.range("created"), try form.bool("delivery_success"))
      let matching = events.newest.filter { event in
        now.timeIntervalSince(event.created) <= Self.eventMemory && created(event.created.stripeTime)
          && (type.map { Self.matches(event.type, pattern: $0) } ?? true)
          && (types.isEmpty || types.contains { Self.matches(event.type, pattern: $0) })
          && (wasDelivered.map { $0 == isDelivered(event) } ?? true)
      }
      return try list(matching, form: form, url: "events", id: \.id, json: json)
    }
    guard let event = events[path[1]], now.timeIntervalSince(event.created) <= Self.eventMemory else {
      throw .missing("event", id: path[1])
    }
    return json(event)
  }

  private func isDelivered(_ event: Event) -> Bool {
    !abandoned.contains(event.id) && !deliveries.contains { $0.event == event.id && !$0.isCopy }
  }

  private static func matches(_ type: String, pattern: String) -> Bool {
    pattern.hasSuffix("*") ? type.hasPrefix(pattern.dropLast()) : type == pattern
  }
}
