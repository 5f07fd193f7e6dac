public import Foundation

/// Reads the events of a funnel from the database, some at a time, and counts them.
public struct FunnelQuery: Sendable {
  private static let pageSize = 20_000

  private let app: String
  private let funnel: Funnel
  private let range: Range<Date>

  /// A query of the events that happened within `range`.
  public init(app: String, funnel: Funnel, range: Range<Date>) {
    self.app = app
    self.funnel = funnel
    self.range = range
  }

  /// Counts.
  public func report(_ database: any Database) async throws -> FunnelReport {
    var paths: [Funnel.Path] = []
    var pending: (installation: String, events: [Funnel.Event])?
    var after = (installation: "", at: Int64.min, id: "")
    while true {
      let rows = try await database.read { [self, after] in try page(after: after, $0) }
      for row in rows {
        after = (try row.text("installation_id"), try row.integer("happened_at"), try row.text("id"))
        if pending?.installation != after.installation {
          if let path = pending.flatMap({ funnel.path($0.events) }) { paths.append(path) }
          pending = (after.installation, [])
        }
        pending?.events.append(
          Funnel.Event(
            name: try row.text("name"), at: try row.date("happened_at"), country: try row.optionalText("country")))
      }
      if rows.count < Self.pageSize { break }
    }
    if let path = pending.flatMap({ funnel.path($0.events) }) { paths.append(path) }
    return FunnelReport(app: app, funnel: funnel, paths: paths)
  }

  private func page(
    after: (installation: String, at: Int64, id: String), _ connection: any SQLConnection
  ) throws -> [SQLRow] {
    let names = Set(funnel.steps).sorted()
    let places = names.indices.map { "$\($0 + 7)" }.joined(separator: ", ")
    return try connection.rows(
      """
      SELECT installation_id, id, name, country, happened_at FROM events
      WHERE app_id = $1 AND (installation_id, happened_at, id) > ($2, $3, $4)
        AND happened_at >= $5 AND happened_at < $6 AND name IN (\(places))
      ORDER BY installation_id, happened_at, id LIMIT \(Self.pageSize)
      """,
      [
        .text(app), .text(after.installation), .integer(after.at), .text(after.id), .date(range.lowerBound),
        .date(range.upperBound),
      ] + names.map { .text($0) })
  }
}
