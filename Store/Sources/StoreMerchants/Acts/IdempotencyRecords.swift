import Foundation
import StoreBase
import StoreWeb

/// The table of answers to acts, by app and idempotency key.
enum IdempotencyRecords {
  /// The stored answer of an idempotency key.
  static func answer(
    _ key: IdempotencyKey, of app: String, in connection: any SQLConnection
  ) throws -> StoredActAnswer? {
    try connection.row(
      "SELECT * FROM idempotency_answers WHERE app_id = $1 AND idempotency_key = $2", [.text(app), .text(key.text)]
    ).map { row in
      StoredActAnswer(
        requestHash: try row.text("request_hash"),
        answer: ActAnswer(
          status: Int(try row.integer("status")), json: try row.text("answer"),
          account: try row.optionalText("account_id")))
    }
  }

  /// Inserts the answer to an act. Returns false if there is one with its idempotency key.
  static func insert(_ answer: ActAnswer, to act: MerchantAct, in transaction: StoreTransaction) throws -> Bool {
    try AnswerColumns(act: act, requestHash: try act.requestHash, answer: answer, date: transaction.storeNow)
      .insertIfAbsent(in: transaction)
  }

  /// Deletes some of the answers from before a moment, and returns their number.
  static func clear(createdBefore limit: Date, in connection: any SQLConnection) throws -> Int {
    try connection.deleteSome(
      from: "idempotency_answers", where: "created_at < $1", [.date(limit)], key: "app_id, idempotency_key")
  }
}

private struct AnswerColumns: TableRecord {
  static let table = "idempotency_answers"

  let act: MerchantAct
  let requestHash: String
  let answer: ActAnswer
  let date: Date

  var key: Columns { ["app_id": .text(act.caller.app), "idempotency_key": .text(act.key.text)] }

  var fixed: Columns {
    [
      "request_hash": .text(requestHash), "account_id": .text(answer.account), "status": .integer(answer.status),
      "answer": .text(answer.json), "created_at": .date(date),
    ]
  }
}
