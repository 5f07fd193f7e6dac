import Foundation
import OnsideCommerce

/// What the limits count.
extension CodeRecords {
  /// Codes that a limit counts together.
  enum Group: Sendable {
    /// Those for a number or address that were never entered.
    case unused(Contact)
    /// Those for a number or address.
    case contact(Contact)
    /// Those for numbers of a range.
    case range(String)
    /// Those for numbers of a country.
    case country(String)
    case device(String)
    case network(String)
    /// All text messages, or all e-mails.
    case kind(of: Contact)

    fileprivate var condition: (sql: String, value: String) {
      switch self {
      case .unused(let contact): ("phone = $1 AND used_at IS NULL", contact.text)
      case .contact(let contact): ("phone = $1", contact.text)
      case .range(let range): ("number_range = $1", range)
      case .country(let country): ("country = $1", country)
      case .device(let device): ("device = $1", device)
      case .network(let network): ("network = $1", network)
      case .kind(let contact): ("phone LIKE $1", contact.isEmail ? "%@%" : "+%")
      }
    }
  }

  /// When the `count`th newest code of a group was sent; nil when there are fewer since a time.
  ///
  /// - Parameter isRecognized: counts the codes of recognized or of unrecognized browsers only; nil counts all.
  static func newest(
    _ count: Int, of group: Group, isRecognized: Bool?, since time: Date, in connection: any SQLConnection
  ) throws -> Date? {
    let (condition, value) = group.condition
    let row = try connection.row(
      """
      SELECT sent_at FROM one_time_codes WHERE \(condition)\(recognition(isRecognized)) AND sent_at > $2
      ORDER BY sent_at DESC LIMIT 1 OFFSET $3
      """, [.text(value), .date(time), .integer(count - 1)])
    return try row?.date("sent_at")
  }

  /// When the codes for a number or address were sent that were never entered, the newest first.
  static func unused(
    _ contact: Contact, isRecognized: Bool, since time: Date, in connection: any SQLConnection
  ) throws -> [Date] {
    let (condition, value) = Group.unused(contact).condition
    return try connection.rows(
      """
      SELECT sent_at FROM one_time_codes WHERE \(condition)\(recognition(isRecognized)) AND sent_at > $2
      ORDER BY sent_at DESC
      """, [.text(value), .date(time)]
    ).map { try $0.date("sent_at") }
  }

  private static func recognition(_ isRecognized: Bool?) -> String {
    isRecognized.map { " AND is_recognized = \($0 ? 1 : 0)" } ?? ""
  }
}
