package import Foundation
import OnsideAPI
import StoreAccounts
package import StoreBase

/// The newest event of an object.
package struct NewestEvent: Hashable, Sendable {
  package let position: Int64
  package let sequence: Int64
  package let subject: String
  /// The JSON of the object.
  package let data: String
}

/// The table of events. Every call runs inside the caller's transaction.
package enum MerchantEventRecords {
  /// Appends an object's events in their order. All have the same JSON of the object, after the transaction.
  package static func append(
    _ notes: [EventNote], of object: EventObject, data: String, in transaction: StoreTransaction
  ) throws {
    guard !notes.isEmpty else { return }
    let (newest, base) = try newest(object.kind, object.id, in: object.customer.app, in: transaction)
    try append(notes, of: object, data: data, after: newest, base: base, in: transaction)
  }

  /// Appends an object's events, whose newest event and the lowest sequence of new events are known.
  static func append(
    _ notes: [EventNote], of object: EventObject, data: String, after newest: NewestEvent?, base: Int64,
    in transaction: StoreTransaction
  ) throws {
    guard !notes.isEmpty else { return }
    if let newest {
      try transaction.execute(
        "UPDATE merchant_events SET is_superseded = 1 WHERE position = $1", [.integer(newest.position)])
    }
    let first = max((newest?.sequence ?? 0) + 1, base)
    for (index, note) in notes.enumerated() {
      try EventColumns(
        object: object, note: note, sequence: first + Int64(index), data: data,
        isSuperseded: index < notes.count - 1, occurredAt: transaction.now, createdAt: transaction.storeNow
      ).insert(in: transaction)
    }
  }

  /// An object's newest event, and the lowest sequence of new events.
  package static func newest(
    _ kind: EventObject.Kind, _ id: String, in app: String, in connection: any SQLConnection
  ) throws -> (event: NewestEvent?, base: Int64) {
    let row = try connection.row(
      """
      SELECT position, sequence, subject, data, (SELECT value FROM settings WHERE name = $4) AS base
      FROM merchant_events WHERE app_id = $1 AND kind = $2 AND object_id = $3 ORDER BY sequence DESC LIMIT 1
      """, [.text(app), .text(kind.rawValue), .text(id), .text(SyncEpoch.sequenceBaseName)])
    if let row { return (try newest(row), try base(row)) }
    return (nil, try SyncEpoch.sequenceBase(in: connection))
  }

  /// The newest event of a row with columns `position`, `sequence`, `subject` and `data`; nil if they are null.
  static func newest(_ row: SQLRow) throws -> NewestEvent? {
    guard let position = try row.optionalInteger("position") else { return nil }
    return NewestEvent(
      position: position, sequence: try row.integer("sequence"), subject: try row.text("subject"),
      data: try row.text("data"))
  }

  /// The lowest sequence of new events, in the column `base` of a row.
  static func base(_ row: SQLRow) throws -> Int64 { try row.optionalText("base").flatMap { Int64($0) } ?? 1 }

  /// Gives the events of a removed account to an id that belongs to no account, and removes the app's tokens from them.
  static func detach(from account: String, to other: String, in transaction: StoreTransaction) throws {
    let tokens = try transaction.rows(
      """
      SELECT app_account_token FROM merchant_events WHERE account_id = $1 AND app_account_token IS NOT NULL
      UNION SELECT app_account_token FROM orders WHERE account_id = $1 AND app_account_token IS NOT NULL
      """, [.text(account)]
    ).map { try $0.text("app_account_token") }
    for token in tokens {
      try transaction.execute(
        "UPDATE merchant_events SET data = replace(data, $2, $3) WHERE account_id = $1",
        [.text(account), .text(OrderObject.tokenField(token)), .text(OrderObject.tokenField(nil))])
    }
    try transaction.execute(
      "UPDATE merchant_events SET account_id = $2, app_account_token = NULL WHERE account_id = $1",
      [.text(account), .text(other)])
  }

  /// Deletes some events from before a time, other than the newest of their objects; returns how many.
  package static func clear(createdBefore time: Date, in connection: any SQLConnection) throws -> Int {
    try connection.deleteSome(
      from: "merchant_events", where: "is_superseded = 1 AND created_at < $1", [.date(time)], key: "position")
  }
}

/// The columns of an event.
private struct EventColumns: TableRecord {
  static let table = "merchant_events"
  let object: EventObject
  let note: EventNote
  let sequence: Int64
  let data: String
  let isSuperseded: Bool
  let occurredAt: Date
  let createdAt: Date

  var key: Columns {
    [
      "app_id": .text(object.customer.app),
      "kind": .text(object.kind.rawValue),
      "object_id": .text(object.id),
      "sequence": .integer(sequence),
    ]
  }

  var fixed: Columns {
    [
      "account_id": .text(object.customer.account),
      "type": .text(note.type.rawValue),
      "cause": .text(note.cause),
      "subject": .text(object.subject),
      "app_account_token": .text(object.appAccountToken),
      "occurred_at": .date(occurredAt),
      "created_at": .date(createdAt),
      "data": .text(data),
      "is_superseded": .bool(isSuperseded),
    ]
  }
}
