import Foundation
import OnsideAPI
import Testing

@testable import OnsideStore
@testable import StoreBase
@testable import StoreSales

/// A row of the event log.
struct LoggedEvent: Hashable {
  let type: String
  let cause: String?
  let sequence: Int64
  let account: String
  let subject: String
  let token: String?
  let occurredAt: Date
  let createdAt: Date
  /// The JSON of the object.
  let data: String

  /// Type, and cause in brackets.
  var text: String { cause.map { "\(type) (\($0))" } ?? type }

  /// The fields of the object.
  func fields() throws -> [String: PayloadValue] {
    try WireCoding.decoder().decode([String: PayloadValue].self, from: Data(data.utf8))
  }
}

extension TestStore {
  /// The events of an object, the oldest first.
  func events(of id: String, kind: EventObject.Kind = .order) async throws -> [LoggedEvent] {
    try await core.dependencies.database.read { connection in
      try connection.rows(
        "SELECT * FROM merchant_events WHERE kind = $1 AND object_id = $2 ORDER BY position",
        [.text(kind.rawValue), .text(id)]
      ).map { row in
        LoggedEvent(
          type: try row.text("type"), cause: try row.optionalText("cause"), sequence: try row.integer("sequence"),
          account: try row.text("account_id"), subject: try row.text("subject"),
          token: try row.optionalText("app_account_token"), occurredAt: try row.date("occurred_at"),
          createdAt: try row.date("created_at"), data: try row.text("data"))
      }
    }
  }

  /// The events of an order, the oldest first.
  func events(of order: OrderID) async throws -> [LoggedEvent] { try await events(of: order.description) }
}
