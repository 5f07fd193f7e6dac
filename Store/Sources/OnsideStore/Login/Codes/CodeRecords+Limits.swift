import Foundation

/// What the limits count.
extension CodeRecords {
  /// The SQL expression for the number of wrong tries of a row.
  static let failuresOfCode = "tries - CASE WHEN used_at IS NULL THEN 0 ELSE 1 END"

  /// Codes that a limit counts together.
  enum Group: Sendable {
    /// Those for a number or address that were never entered.
    case unused(Contact)
    /// Those for a number or address.
    case contact(Contact)
    /// Those for numbers of a range.
    case range(String)
    case device(String)
    case network(String)
    /// All text messages, or all e-mails.
    case kind(of: Contact)

    fileprivate var condition: (sql: String, value: String) {
      switch self {
      case .unused(let contact): ("phone = $1 AND used_at IS NULL", contact.text)
      case .contact(let contact): ("phone = $1", contact.text)
      case .range(let range): ("number_range = $1", range)
      case .device(let device): ("device = $1", device)
      case .network(let network): ("network = $1", network)
      case .kind(let contact): ("phone LIKE $1", contact.text.contains("@") ? "%@%" : "+%")
      }
    }
  }

  /// When the `count`th newest code of a group was sent; nil when there are fewer since a time.
  static func newest(_ count: Int, of group: Group, since time: Date, in connection: any SQLConnection) throws -> Date?
  {
    let (condition, value) = group.condition
    let row = try connection.row(
      """
      SELECT sent_at FROM one_time_codes WHERE \(condition) AND sent_at > $2
      ORDER BY sent_at DESC LIMIT 1 OFFSET $3
      """, [.text(value), .date(time), .integer(count - 1)])
    return try row?.date("sent_at")
  }

  /// When the codes for a number or address were sent that were never entered, the newest first.
  static func unused(_ contact: Contact, since time: Date, in connection: any SQLConnection) throws -> [Date] {
    try connection.rows(
      """
      SELECT sent_at FROM one_time_codes WHERE phone = $1 AND used_at IS NULL AND sent_at > $2
      ORDER BY sent_at DESC
      """, [.text(contact.text), .date(time)]
    ).map { try $0.date("sent_at") }
  }

  /// How often each code for a number or address was tried in vain, the oldest code first.
  static func failures(
    contact: String, since time: Date, in connection: any SQLConnection
  ) throws -> [(sentAt: Date, failures: Int)] {
    try connection.rows(
      """
      SELECT sent_at, \(failuresOfCode) AS failures FROM one_time_codes
      WHERE phone = $1 AND sent_at > $2 ORDER BY sent_at
      """, [.text(contact), .date(time)]
    ).map { (try $0.date("sent_at"), Int(try $0.integer("failures"))) }
  }
}
