import Foundation
import OnsideCommerce
import StoreBase
import StoreWeb

/// The table of one-time codes. It is also the outbox of the messages, and the limits count its rows.
enum CodeRecords {
  static let lifetime: TimeInterval = 600
  static let tries = 5

  struct NewCode: Sendable {
    var id: String
    var attemptID: String
    var contact: Contact
    var source: CodeSource
    var language: Language
    /// Whether the browser is recognized for the contact. See ``RecognizedBrowserRecords``.
    var isRecognized = false
  }

  /// A counted try of a code.
  struct Try: Sendable, Hashable {
    var outcome: CodeOutcome
    /// The length of the streak of wrong codes, this try included; 0 for a try that does not count.
    var failures: Int64 = 0
  }

  static func insert(_ code: NewCode, in transaction: StoreTransaction) throws {
    try CodeColumns(code: code, sentAt: transaction.now).insert(in: transaction)
  }

  /// Counts a try of the newest code that a login had sent to a number, and uses the code up when it is right.
  ///
  /// Every try runs the same statements and computes one keyed hash, whether or not there is a code, and whether it is
  /// live, right or wrong.
  static func check(
    attempt: String, contact: String, typed: String, codeGenerator: VersionedKey<OneTimeCodeGenerator>,
    limits: CodeLimits,
    in transaction: StoreTransaction
  ) throws -> Try {
    let found = try transaction.row(
      """
      SELECT c.id, c.expires_at, c.tries, c.used_at, c.sent_at, c.is_recognized, c.device, f.count AS failures, f.failed_at
      FROM (SELECT 1) AS always LEFT JOIN one_time_codes c ON c.id = (
        SELECT id FROM one_time_codes WHERE attempt_id = $1 AND phone = $2 ORDER BY sent_at DESC, id DESC LIMIT 1)
      LEFT JOIN code_failures f ON f.contact = $2
        AND f.browser = CASE WHEN c.is_recognized = 1 THEN c.device ELSE '' END
      """, [.text(attempt), .text(contact)])
    let id = try found?.optionalText("id") ?? ""
    let tries = try found?.optionalInteger("tries") ?? Int64(Self.tries)
    let isUnused = try tries < Self.tries && found?.optionalDate("used_at") == nil
    let isYoung = try found?.optionalDate("expires_at").map { $0 > transaction.now } ?? false
    let recognized = try found?.optionalInteger("is_recognized") == 1 ? found?.optionalText("device") : nil
    let wait = try CodeFailures.wait(
      count: found?.optionalInteger("failures") ?? 0, failedAt: found?.optionalDate("failed_at"), limits: limits,
      at: transaction.now)
    let isLive = isUnused && isYoung && wait == nil
    let generator = codeGenerator.value(at: try found?.optionalDate("sent_at") ?? transaction.now)
    let isRight = generator.isCode(typed, for: id) && isLive
    try transaction.execute(
      "UPDATE one_time_codes SET tries = tries + 1, used_at = $2 WHERE id = $1",
      [.text(isLive ? id : ""), isRight ? .date(transaction.now) : .null])
    let failures = try CodeFailures(contact: contact, recognized: recognized)
      .count(isRight ? .right : isLive ? .wrong : .unchanged, in: transaction)
    if let wait { return Try(outcome: .limited(CodeLimitReached(limit: .failures, wait: wait))) }
    guard isUnused else { return Try(outcome: .spent) }
    guard isYoung else { return Try(outcome: .expired) }
    if isRight { return Try(outcome: .right) }
    return Try(outcome: tries + 1 == Self.tries ? .spent : .wrong, failures: failures)
  }

  /// Deletes some codes that no limit counts any more. It deletes more of them than one login adds.
  static func purge(in transaction: StoreTransaction) throws {
    try transaction.deleteSome(
      from: "one_time_codes", where: "sent_at < $1", [.date(transaction.now - CodeLimits.longestWindow)])
    try CodeFailures.purge(in: transaction)
  }
}

/// The columns of a new code.
private struct CodeColumns: TableRecord {
  static let table = "one_time_codes"
  let code: CodeRecords.NewCode
  let sentAt: Date

  var key: Columns { ["id": .text(code.id)] }

  var fixed: Columns {
    [
      "attempt_id": .text(code.attemptID),
      "phone": .text(code.contact.text),
      "number_range": .text(code.contact.range),
      "device": .text(code.source.device),
      "network": .text(code.source.network),
      "language": .text(code.language.rawValue),
      "country": .text(code.contact.codeCountry),
      "is_recognized": .bool(code.isRecognized),
      "sent_at": .date(sentAt),
      "next_delivery_at": .date(sentAt),
      "expires_at": .date(sentAt.addingTimeInterval(CodeRecords.lifetime)),
    ]
  }
}
