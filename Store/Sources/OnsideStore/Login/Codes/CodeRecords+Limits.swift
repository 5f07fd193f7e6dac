import Foundation

/// What the limits count.
extension CodeRecords {
  /// Codes that a limit counts together.
  enum Group: Sendable {
    /// Those for a number or address that were never entered, of recognized or of unrecognized browsers.
    case unused(Contact, _ isRecognized: Bool)
    /// Those for a number or address, of recognized or of unrecognized browsers.
    case contact(Contact, _ isRecognized: Bool)
    case device(String)
    /// Those of unrecognized browsers for numbers of a range.
    case range(String)
    /// Those of unrecognized browsers in a network.
    case network(String)
    /// Those of unrecognized browsers for numbers of a country.
    case country(String)
    /// All text messages, or all e-mails, of unrecognized browsers.
    case unrecognized(of: Contact)
    /// All text messages, or all e-mails.
    case kind(of: Contact)

    fileprivate var condition: (sql: String, value: String) {
      switch self {
      case .unused(let contact, let isRecognized):
        ("phone = $1 AND is_recognized = \(isRecognized ? 1 : 0) AND used_at IS NULL", contact.text)
      case .contact(let contact, let isRecognized):
        ("phone = $1 AND is_recognized = \(isRecognized ? 1 : 0)", contact.text)
      case .device(let device): ("device = $1", device)
      case .range(let range): ("number_range = $1 AND is_recognized = 0", range)
      case .network(let network): ("network = $1 AND is_recognized = 0", network)
      case .country(let country): ("country = $1 AND is_recognized = 0", country)
      case .unrecognized(let contact): ("phone LIKE $1 AND is_recognized = 0", Self.pattern(contact))
      case .kind(let contact): ("phone LIKE $1", Self.pattern(contact))
      }
    }

    private static func pattern(_ contact: Contact) -> String { contact.isEmail ? "%@%" : "+%" }
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
  static func unused(
    _ contact: Contact, _ isRecognized: Bool, since time: Date, in connection: any SQLConnection
  ) throws -> [Date] {
    let (condition, value) = Group.unused(contact, isRecognized).condition
    return try connection.rows(
      "SELECT sent_at FROM one_time_codes WHERE \(condition) AND sent_at > $2 ORDER BY sent_at DESC",
      [.text(value), .date(time)]
    ).map { try $0.date("sent_at") }
  }
}
