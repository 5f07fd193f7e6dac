import Foundation

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
  }

  static func insert(_ code: NewCode, in transaction: StoreTransaction) throws {
    try transaction.execute(
      """
      INSERT INTO one_time_codes(
        id, attempt_id, phone, number_range, device, network, language, sent_at, expires_at, next_delivery_at)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $8)
      """,
      [
        .text(code.id), .text(code.attemptID), .text(code.contact.text), .text(code.contact.range),
        .text(code.source.device), .text(code.source.network), .text(code.language.rawValue), .date(transaction.now),
        .date(transaction.now + lifetime),
      ])
  }

  /// Counts a try of the newest code that a login had sent to a number, and uses the code up when it is right.
  ///
  /// Every try does the same work (one query, one keyed hash, one update), whether or not there is a code, and whether
  /// it is live, right or wrong.
  static func check(
    attempt: String, contact: String, typed: String, codeGenerator: OneTimeCodeGenerator, limits: CodeLimits,
    in transaction: StoreTransaction
  ) throws -> CodeOutcome {
    let found = try transaction.row(
      """
      SELECT id, expires_at, tries, used_at, (
        SELECT CAST(COALESCE(SUM(\(Self.failuresOfCode)), 0) AS BIGINT) FROM one_time_codes
        WHERE phone = $2 AND sent_at > $3) AS failures
      FROM (SELECT 1) AS always LEFT JOIN one_time_codes ON id = (
        SELECT id FROM one_time_codes WHERE attempt_id = $1 AND phone = $2 ORDER BY sent_at DESC, id DESC LIMIT 1)
      """, [.text(attempt), .text(contact), .date(transaction.now - CodeLimits.failureWindow)])
    let id = try found?.optionalText("id") ?? ""
    let tries = try found?.optionalInteger("tries") ?? Int64(Self.tries)
    let isUnused = try tries < Self.tries && found?.optionalDate("used_at") == nil
    let isYoung = try found?.optionalDate("expires_at").map { $0 > transaction.now } ?? false
    let isLimited = try found?.integer("failures") ?? 0 >= limits.failures
    let isLive = isUnused && isYoung && !isLimited
    let isRight = codeGenerator.isCode(typed, for: id) && isLive
    try transaction.execute(
      "UPDATE one_time_codes SET tries = tries + 1, used_at = $2 WHERE id = $1",
      [.text(isLive ? id : ""), isRight ? .date(transaction.now) : .null])
    if isLimited, let limit = try limits.failures(contact: contact, in: transaction) { return .limited(limit) }
    guard isUnused else { return .spent }
    guard isYoung else { return .expired }
    if isRight { return .right }
    return tries + 1 == Self.tries ? .spent : .wrong
  }

  /// Deletes some codes that no limit counts any more. It deletes more of them than one login adds.
  static func purge(in transaction: StoreTransaction) throws {
    try transaction.deleteSome(
      from: "one_time_codes", where: "sent_at < $1", [.date(transaction.now - CodeLimits.longestWindow)])
  }
}
