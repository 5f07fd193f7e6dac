import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBase

/// The table of events.
enum EventRecords {
  /// Stores an event; false if the app has reported one with this id before. The ids of another app's events are
  /// independent.
  @discardableResult
  static func insert(_ event: EventRecord, app: String, in transaction: StoreTransaction) throws -> Bool {
    try EventColumns(event: event, app: app, receivedAt: transaction.now).insertIfAbsent(in: transaction)
  }

  /// Deletes some events; returns how many.
  static func clear(receivedBefore date: Date, in connection: any SQLConnection) throws -> Int {
    try connection.deleteSome(from: "events", where: "received_at < $1", [.date(date)], key: "app_id, id")
  }

  /// Where a page of events ends: the last one's installation, time and id.
  struct Position: Sendable {
    var installation = ""
    var milliseconds = Int64.min
    var id = ""
  }

  /// The events of an app with one of some names that happened within a range, by installation and time: some of those
  /// behind a position.
  static func page(
    of names: [String], app: String, range: Range<Date>, after: Position, limit: Int,
    in connection: any SQLConnection
  ) throws -> [(position: Position, event: Funnel.Event)] {
    let names = Set(names).sorted()
    let places = names.indices.map { "$\($0 + 7)" }.joined(separator: ", ")
    let rows = try connection.rows(
      """
      SELECT installation_id, id, name, country, happened_at FROM events
      WHERE app_id = $1 AND (installation_id, happened_at, id) > ($2, $3, $4)
        AND happened_at >= $5 AND happened_at < $6 AND name IN (\(places))
      ORDER BY installation_id, happened_at, id LIMIT \(limit)
      """,
      [
        .text(app), .text(after.installation), .integer(after.milliseconds), .text(after.id), .date(range.lowerBound),
        .date(range.upperBound),
      ] + names.map { .text($0) })
    return try rows.map { row in
      let position = Position(
        installation: try row.text("installation_id"), milliseconds: try row.integer("happened_at"),
        id: try row.text("id"))
      let event = Funnel.Event(
        name: try row.text("name"), at: try row.date("happened_at"), country: try row.optionalText("country"))
      return (position, event)
    }
  }
}

/// The columns of an event.
private struct EventColumns: TableRecord {
  static let table = "events"
  let event: EventRecord
  let app: String
  let receivedAt: Date

  var key: Columns { ["app_id": .text(app), "id": .text(event.id.description)] }

  var fixed: Columns {
    [
      "installation_id": .text(event.installation.description),
      "name": .text(event.name),
      "country": .text(event.country?.alpha2),
      "happened_at": .date(min(event.happenedAt, receivedAt)),
      "received_at": .date(receivedAt),
      "source": .text(event.source.rawValue),
      "parameters": .text(event.parameters),
    ]
  }
}
