public import Foundation

/// Where a request for a code comes from.
struct CodeSource: Sendable {
  /// The browser, by the hash of its cookie.
  var device: String
  /// The network, by the beginning of its address.
  var network: String
}

/// How many codes are sent, at most. Each send costs money and annoys somebody when it was not asked for, so that every
/// way of asking for many has a limit: one number, one browser, one network, neighbouring numbers, everybody together.
public struct CodeLimits: Sendable, Hashable {
  /// Codes for one number in an hour that were never entered.
  public var perNumber = 5
  /// Codes for one number in a day.
  public var perNumberDaily = 20
  /// Codes asked for by one browser in an hour.
  public var perDevice = 10
  /// Codes asked for from one network in an hour.
  public var perNetwork = 60
  /// Codes for numbers that differ only in their last three digits, in an hour.
  public var perRange = 20
  /// All codes in an hour.
  public var total = 1000
  /// Seconds between a code and the next one for the same number; doubled with each code that was not entered.
  public var resendDelay: TimeInterval = 30

  /// The defaults.
  public init() {}

  static let hour: TimeInterval = 3600
  static let day: TimeInterval = 86400
  static let longestWindow = day

  /// A number without its last three digits.
  static func range(of phone: PhoneNumber) -> String { String(phone.e164.dropLast(3)) }

  /// Seconds until a code may be sent; nil when it may be now.
  func wait(
    _ connection: any SQLConnection, phone: PhoneNumber, source: CodeSource, now: Date
  ) throws -> TimeInterval? {
    let number = SQLValue.text(phone.e164)
    let waits = [
      try resendWait(connection, phone: phone, now: now),
      try wait(connection, "phone = $1 AND used_at IS NULL", number, perNumber, Self.hour, now),
      try wait(connection, "phone = $1", number, perNumberDaily, Self.day, now),
      try wait(connection, "number_range = $1", .text(Self.range(of: phone)), perRange, Self.hour, now),
      try wait(connection, "device = $1", .text(source.device), perDevice, Self.hour, now),
      try wait(connection, "network = $1", .text(source.network), perNetwork, Self.hour, now),
      try wait(connection, "$1 = 1", 1, total, Self.hour, now),
    ]
    return waits.compactMap(\.self).max()
  }

  /// Seconds until the same number may get another code; nil when it may now. A code that was entered does not count:
  /// whoever logs out may log in again at once.
  func resendWait(_ connection: any SQLConnection, phone: PhoneNumber, now: Date) throws -> TimeInterval? {
    let sent = try connection.rows(
      """
      SELECT sent_at FROM one_time_codes WHERE phone = $1 AND used_at IS NULL AND sent_at > $2
      ORDER BY sent_at DESC
      """, [.text(phone.e164), .date(now - Self.hour)])
    guard let last = try sent.first?.date("sent_at") else { return nil }
    let delay = resendDelay * Double(1 << min(sent.count - 1, 5))
    let wait = last.addingTimeInterval(delay).timeIntervalSince(now)
    return wait > 0 ? wait : nil
  }

  /// The window is full when there is a `maximum`th newest code in it; it opens when that one leaves it.
  private func wait(
    _ connection: any SQLConnection, _ condition: String, _ value: SQLValue, _ maximum: Int, _ window: TimeInterval,
    _ now: Date
  ) throws -> TimeInterval? {
    let row = try connection.row(
      """
      SELECT sent_at FROM one_time_codes WHERE \(condition) AND sent_at > $2
      ORDER BY sent_at DESC LIMIT 1 OFFSET $3
      """, [value, .date(now - window), .integer(maximum - 1)])
    guard let oldest = try row?.date("sent_at") else { return nil }
    return oldest.addingTimeInterval(window).timeIntervalSince(now)
  }
}
