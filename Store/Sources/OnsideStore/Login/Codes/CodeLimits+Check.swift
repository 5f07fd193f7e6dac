import Foundation

extension CodeLimits {
  /// The reached limit with the longest wait; nil when a code may be sent now.
  func check(contact: Contact, source: CodeSource, in transaction: StoreTransaction) throws -> CodeLimitReached? {
    let windows = [
      Window(.number, "phone = $1 AND used_at IS NULL", contact.text, perNumber, Self.hour),
      Window(.numberDaily, "phone = $1", contact.text, perNumberDaily, Self.day),
      Window(.range, "number_range = $1", contact.range, perRange, Self.hour),
      Window(.device, "device = $1", source.device, perDevice, Self.hour),
      Window(.network, "network = $1", source.network, perNetwork, Self.hour),
      // Text messages and e-mails differ in cost: each kind has a total of its own.
      Window(.total, "phone LIKE $1", contact.text.contains("@") ? "%@%" : "+%", total, Self.hour),
    ]
    let reached =
      try [
        resendWait(contact: contact, in: transaction).map { CodeLimitReached(limit: .delay, wait: $0) },
        failures(contact: contact.text, in: transaction),
      ] + windows.map { try $0.reached(in: transaction) }
    return reached.compactMap(\.self).max { $0.wait < $1.wait }
  }

  /// Seconds until the same number may get another code; nil when it may now. A code that was entered does not count,
  /// so that a person who logs out may log in again at once.
  func resendWait(contact: Contact, in transaction: StoreTransaction) throws -> TimeInterval? {
    let sent = try transaction.rows(
      """
      SELECT sent_at FROM one_time_codes WHERE phone = $1 AND used_at IS NULL AND sent_at > $2
      ORDER BY sent_at DESC
      """, [.text(contact.text), .date(transaction.now - Self.hour)])
    guard let last = try sent.first?.date("sent_at") else { return nil }
    let delay = resendDelay * Double(1 << min(sent.count - 1, 5))
    let wait = last.addingTimeInterval(delay).timeIntervalSince(transaction.now)
    return wait > 0 ? wait : nil
  }

  /// How long a code's wrong tries count: from its sending until an hour after its end, so that each try counts for an
  /// hour or more.
  static let failureWindow = hour + CodeRecords.lifetime

  /// The SQL expression for the number of wrong tries of a row of `one_time_codes`.
  static let failuresOfCode = "tries - CASE WHEN used_at IS NULL THEN 0 ELSE 1 END"

  /// The limit of wrong codes for a number, with the wait; nil when it is not reached.
  func failures(contact: String, in transaction: StoreTransaction) throws -> CodeLimitReached? {
    let window = Self.failureWindow
    let codes = try transaction.rows(
      """
      SELECT sent_at, \(Self.failuresOfCode) AS failures FROM one_time_codes
      WHERE phone = $1 AND sent_at > $2 ORDER BY sent_at
      """, [.text(contact), .date(transaction.now - window)])
    var excess = try codes.reduce(0) { $0 + Int(try $1.integer("failures")) } - failures
    guard excess >= 0 else { return nil }
    var wait: TimeInterval = 0
    for code in codes where excess >= 0 {
      excess -= Int(try code.integer("failures"))
      wait = try code.date("sent_at").addingTimeInterval(window).timeIntervalSince(transaction.now)
    }
    return CodeLimitReached(limit: .failures, wait: wait)
  }

  /// A rate limit: at most `maximum` codes that meet a condition in `seconds`.
  private struct Window {
    let limit: CodeLimitReached.Limit
    let condition: String
    let value: String
    let maximum: Int
    let seconds: TimeInterval

    init(
      _ limit: CodeLimitReached.Limit, _ condition: String, _ value: String, _ maximum: Int, _ seconds: TimeInterval
    ) {
      (self.limit, self.condition, self.value, self.maximum, self.seconds) = (limit, condition, value, maximum, seconds)
    }

    /// The limit with the wait, when the window is full. It is full when it has a `maximum`th newest code, until that
    /// code leaves it.
    func reached(in transaction: StoreTransaction) throws -> CodeLimitReached? {
      let row = try transaction.row(
        """
        SELECT sent_at FROM one_time_codes WHERE \(condition) AND sent_at > $2
        ORDER BY sent_at DESC LIMIT 1 OFFSET $3
        """, [.text(value), .date(transaction.now - seconds), .integer(maximum - 1)])
      guard let oldest = try row?.date("sent_at") else { return nil }
      return CodeLimitReached(limit: limit, wait: oldest.addingTimeInterval(seconds).timeIntervalSince(transaction.now))
    }
  }
}
