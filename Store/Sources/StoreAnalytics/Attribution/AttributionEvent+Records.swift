import Foundation
import OnsideAPI
import StoreBase

/// The table of the events.
extension AttributionEvent {
  func insert(in transaction: StoreTransaction) throws {
    try transaction.execute(
      """
      INSERT INTO attribution_events(
        id, app_id, label, happened_at, visit_id, installation_id, gclid, gbraid, wbraid)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)
      """,
      [
        .text(id.lowercase), .text(appID), .text(label.rawValue), .date(happenedAt), .text(visit?.id),
        .text(installation?.description), .text(visit?.gclid), .text(visit?.gbraid), .text(visit?.wbraid),
      ])
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
