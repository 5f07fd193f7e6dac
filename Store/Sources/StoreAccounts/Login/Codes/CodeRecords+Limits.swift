import Foundation
import OnsideCommerce
import StoreBase

/// Queries of the rate limits.
extension CodeRecords {
  /// Codes that a limit counts together.
  enum Group: Sendable {
    /// Unentered codes for a number or address.
    case unused(Contact)
    /// Codes for a number or address.
    case contact(Contact)
    /// Codes for numbers of a range.
    case range(String)
    /// Codes for numbers of a country.
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

  /// Returns the time of the `count`th newest code of a group since a time; nil if there are fewer.
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

  /// Returns the times of the unentered codes for a number or address, the newest first.
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
