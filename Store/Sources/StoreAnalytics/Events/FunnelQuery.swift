public import Foundation
public import StoreBase

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
    var after = EventRecords.Position()
    while true {
      let rows = try await database.read { [self, after] connection in
        try EventRecords.page(
          of: funnel.steps, app: app, range: range, after: after, limit: Self.pageSize, in: connection)
      }
      for row in rows {
        after = row.position
        if pending?.installation != after.installation {
          if let path = pending.flatMap({ funnel.path($0.events) }) { paths.append(path) }
          pending = (after.installation, [])
        }
        pending?.events.append(row.event)
      }
      if rows.count < Self.pageSize { break }
    }
    if let path = pending.flatMap({ funnel.path($0.events) }) { paths.append(path) }
    return FunnelReport(app: app, funnel: funnel, paths: paths)
  }
}
