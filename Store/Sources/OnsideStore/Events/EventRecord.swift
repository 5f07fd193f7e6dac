import Foundation
import OnsideAPI
import OnsideCommerce

/// An event as the store keeps it.
struct EventRecord: Sendable, Hashable {
  /// Who reported it.
  enum Source: String, Sendable {
    case sdk, server
  }

  var id: EventID
  var installation: InstallationID
  /// In lower case: names are compared without it.
  var name: String
  var country: CountryCode?
  var happenedAt: Date
  var source: Source
  /// A JSON object.
  var parameters: String

  /// Keeps the event, unless the app has reported one with this id before. Another app's events are its own: their ids
  /// neither hide nor touch these.
  func insert(app: String, in transaction: StoreTransaction) throws {
    try transaction.execute(
      """
      INSERT INTO events(
        app_id, id, installation_id, name, country, happened_at, received_at, source, parameters)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT(app_id, id) DO NOTHING
      """,
      [
        .text(app), .text(id.description), .text(installation.description), .text(name), .text(country?.alpha2),
        .date(min(happenedAt, transaction.now)), .date(transaction.now), .text(source.rawValue), .text(parameters),
      ])
  }
}
