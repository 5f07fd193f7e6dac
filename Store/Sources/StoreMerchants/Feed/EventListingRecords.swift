import Foundation
package import OnsideAPI
package import StoreAccounts
package import StoreBase

/// The events with numbers, for operators.
package enum EventListingRecords {
  /// Returns the newest events, the newest first.
  package static func newest(_ filter: EventFilter, in connection: any SQLConnection) throws -> [FeedEvent] {
    var arguments: [SQLValue] = []
    func parameter(_ value: SQLValue) -> String {
      arguments.append(value)
      return "$\(arguments.count)"
    }
    var conditions = ["number IS NOT NULL"]
    if let app = filter.app { conditions.append("app_id = \(parameter(.text(app)))") }
    if let since = filter.since { conditions.append("created_at >= \(parameter(.date(since)))") }
    if !filter.types.isEmpty {
      let names = filter.types.map { parameter(.text($0.rawValue)) }
      conditions.append("type IN (\(names.joined(separator: ", ")))")
    }
    let limit = parameter(.integer(Int64(filter.limit)))
    let rows = try connection.rows(
      """
      SELECT * FROM merchant_events WHERE \(conditions.joined(separator: " AND "))
      ORDER BY position DESC LIMIT \(limit)
      """, arguments)
    return try rows.map(FeedRecords.event)
  }

  /// Returns the events of an id: one of each app at most.
  package static func events(_ id: MerchantEventID, in connection: any SQLConnection) throws -> [FeedEvent] {
    let rows = try connection.rows(
      "SELECT * FROM merchant_events WHERE number = $1 AND epoch = $2 ORDER BY app_id",
      [.integer(id.number), .text(id.epoch)])
    return try rows.map(FeedRecords.event)
  }

  /// Returns how many events have no number yet.
  package static func waitingCount(in connection: any SQLConnection) throws -> Int {
    let row = try connection.row("SELECT count(*) AS waiting FROM merchant_events WHERE number IS NULL")
    return Int(try row?.integer("waiting") ?? 0)
  }

  /// Returns the position of the newest event; 0 without events.
  package static func newestPosition(in connection: any SQLConnection) throws -> Int64 {
    try connection.row("SELECT max(position) AS newest FROM merchant_events")?.optionalInteger("newest") ?? 0
  }

  /// Returns the first event of a type of a customer after a position, once it has a number.
  package static func first(
    _ type: MerchantEventType, of customer: Customer, after position: Int64, in connection: any SQLConnection
  ) throws -> FeedEvent? {
    try connection.row(
      """
      SELECT * FROM merchant_events
      WHERE account_id = $1 AND app_id = $2 AND type = $3 AND position > $4 AND number IS NOT NULL
      ORDER BY position LIMIT 1
      """,
      [.text(customer.account), .text(customer.app), .text(type.rawValue), .integer(position)]
    ).map(FeedRecords.event)
  }
}
