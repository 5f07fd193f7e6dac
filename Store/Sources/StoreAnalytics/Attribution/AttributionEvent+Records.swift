import Foundation
import OnsideAPI
import StoreBase

/// The table of the events.
extension AttributionEvent {
  func insert(in transaction: StoreTransaction) throws {
    try AttributionEventColumns(event: self).insert(in: transaction)
  }

  /// Names the visit in the events of an installation that were written before it was known.
  static func join(
    _ installation: InstallationID, app: String, with visit: AttributionVisit, in transaction: StoreTransaction
  ) throws {
    try transaction.execute(
      """
      UPDATE attribution_events SET visit_id = $3, gclid = $4, gbraid = $5, wbraid = $6
      WHERE app_id = $1 AND installation_id = $2
      """,
      [
        .text(app), .text(installation.description), .text(visit.id), .text(visit.gclid), .text(visit.gbraid),
        .text(visit.wbraid),
      ])
  }
}

/// The columns of a new event.
private struct AttributionEventColumns: TableRecord {
  static let table = "attribution_events"
  let event: AttributionEvent

  var key: Columns { ["id": .text(event.id.lowercase)] }

  var fixed: Columns {
    [
      "app_id": .text(event.appID),
      "label": .text(event.label.rawValue),
      "happened_at": .date(event.happenedAt),
      "visit_id": .text(event.visit?.id),
      "installation_id": .text(event.installation?.description),
      "gclid": .text(event.visit?.gclid),
      "gbraid": .text(event.visit?.gbraid),
      "wbraid": .text(event.visit?.wbraid),
    ]
  }
}
