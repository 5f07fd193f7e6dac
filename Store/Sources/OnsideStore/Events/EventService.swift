import Foundation
import HTTPTypes
import OnsideAPI
import OnsideCommerce

/// Takes in events, and counts each once.
struct EventService: Sendable {
  let database: any Database
  let clock: any StoreClock
  /// How long events are kept, in seconds.
  let retention: TimeInterval

  /// Keeps what an app reports. What breaks the rules is changed or dropped, as the SDK itself does: a batch that was
  /// refused would be sent for ever.
  func take(_ request: EventsRequest, app: String) async throws {
    guard request.events.count <= EventsRequest.limit else {
      throw Problem(.contentTooLarge, code: .bodyTooLarge, detail: "Expected at most \(EventsRequest.limit) events.")
    }
    try await keep(try request.events.compactMap { try Self.record($0, of: request.installationID) }, app: app)
  }

  /// Keeps what a merchant's server reports: all of it, or nothing and `invalid_request`.
  func take(_ request: ServerEventsRequest, app: String) async throws {
    guard request.events.count <= ServerEventsRequest.limit else {
      throw Problem(
        .contentTooLarge, code: .bodyTooLarge, detail: "Expected at most \(ServerEventsRequest.limit) events.")
    }
    try await keep(try request.events.enumerated().map { try Self.record($1, number: $0) }, app: app)
  }

  /// Forgets events that are older than the operator wants.
  func clear() async throws {
    let limit = clock.now() - retention
    try await database.inPieces { try EventRecords.clear(receivedBefore: limit, in: $0) }
  }

  private func keep(_ records: [EventRecord], app: String) async throws {
    guard !records.isEmpty else { return }
    try await database.write(at: clock.now()) { transaction in
      for record in records { try EventRecords.insert(record, app: app, in: transaction) }
    }
  }

  private static func record(_ event: EventMessage, of installation: InstallationID) throws -> EventRecord? {
    let verdict = EventRules.apply(name: event.name, parameters: event.parameters)
    guard let name = verdict.name else { return nil }
    return EventRecord(
      id: event.id, installation: installation, name: name.lowercased(), country: event.country,
      happenedAt: Date(millisecondsSince1970: max(0, event.at)), source: .sdk, parameters: try json(verdict.parameters))
  }

  private static func record(_ event: ServerEventMessage, number: Int) throws -> EventRecord {
    guard let name = EventRules.apply(name: event.eventName).name else {
      throw Problem.invalidRequest(
        "events[\(number)].event_name: expected a letter, then letters, digits and _, without a reserved prefix.")
    }
    guard let date = date(event.eventDatetime) else {
      throw Problem.invalidRequest(
        "events[\(number)].event_datetime: expected ISO 8601 with an offset, such as 2026-11-21T09:30:00Z.")
    }
    return EventRecord(
      id: event.eventID, installation: event.installationID, name: name.lowercased(), country: nil, happenedAt: date,
      source: .server, parameters: try json(event.payload))
  }

  private static func date(_ text: String) -> Date? {
    guard text.utf8.count <= 40 else { return nil }
    let parsed =
      (try? Date.ISO8601FormatStyle().parse(text))
      ?? (try? Date.ISO8601FormatStyle(includingFractionalSeconds: true).parse(text))
    return parsed.flatMap { $0.timeIntervalSince1970 >= 0 ? $0 : nil }
  }

  private static func json(_ value: some Encodable) throws -> String {
    String(decoding: try WireCoding.encoder().encode(value), as: UTF8.self)
  }
}
