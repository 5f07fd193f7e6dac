package import Foundation
import HTTPTypes
import OnsideAPI
import OnsideCommerce
package import StoreBase
import StoreWeb

/// Stores events, each once.
package struct EventService: Sendable {
  let database: any Database
  let clock: any StoreClock
  /// How long events are kept, in seconds.
  let retention: TimeInterval
  let configuration: EventConfiguration
  private let addresses: DailyBudget

  package init(
    database: any Database, clock: any StoreClock, retention: TimeInterval, configuration: EventConfiguration
  ) {
    self.database = database
    self.clock = clock
    self.retention = retention
    self.configuration = configuration
    addresses = DailyBudget(configuration.bytesPerAddress)
  }

  /// Stores the events of an app. Events that break the rules are changed or dropped, as the SDK does: it would repeat
  /// a rejected batch for ever.
  ///
  /// - Parameter client: the network address.
  func take(_ request: EventsRequest, app: String, client: String) async throws {
    guard configuration.areStored else { return }
    guard request.events.count <= EventsRequest.limit else {
      throw Problem(.contentTooLarge, code: .bodyTooLarge, detail: "Expected at most \(EventsRequest.limit) events.")
    }
    let records = try request.events.compactMap { try Self.record($0, of: request.installationID) }
    guard !records.isEmpty else { return }
    let (now, address) = (clock.now(), NetworkPrefix.ofHousehold(client))
    let bytes = records.reduce(0) { $0 + $1.bytes }
    // Before the write: batches come at the same time. Repeated events are not stored again, and cost nothing.
    try addresses.spend(bytes, from: address, at: now)
    var stored = 0
    defer { addresses.returnBytes(bytes - stored, to: address, at: now) }
    try await checkBudget(of: app, at: now)
    stored = try await database.write(at: now) { transaction in
      let new = try records.filter { try EventRecords.insert($0, app: app, in: transaction) }
      let bytes = new.reduce(0) { $0 + $1.bytes }
      try EventRecords.add(bytes, app: app, in: transaction)
      return bytes
    }
  }

  /// Throws `rate_limited` if an app has used up its budget of today. Reads, because rejected batches come again and
  /// must not delay the writes of purchases.
  private func checkBudget(of app: String, at now: Date) async throws {
    let used = try await database.read { try EventRecords.bytes(of: app, on: now, in: $0) }
    guard used >= configuration.bytesPerApp else { return }
    throw Problem.usedUp(configuration.bytesPerApp, by: "app", at: now)
  }

  /// Stores the events of a merchant's server: all of them, or none and `invalid_request`.
  func take(_ request: ServerEventsRequest, app: String) async throws {
    guard request.events.count <= ServerEventsRequest.limit else {
      throw Problem(
        .contentTooLarge, code: .bodyTooLarge, detail: "Expected at most \(ServerEventsRequest.limit) events.")
    }
    let records = try request.events.enumerated().map { try Self.record($1, number: $0) }
    guard !records.isEmpty else { return }
    try await database.write(at: clock.now()) { transaction in
      for record in records { try EventRecords.insert(record, app: app, in: transaction) }
    }
  }

  /// Deletes events that are older than the configured time.
  package func clear() async throws {
    let limit = clock.now() - retention
    try await database.inPieces { try EventRecords.clear(receivedBefore: limit, in: $0) }
    try await database.inPieces { try EventRecords.clear(daysBefore: limit, in: $0) }
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
