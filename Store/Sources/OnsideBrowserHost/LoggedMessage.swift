import Foundation

/// A message to a page, decoded for the log. Its keys are those of `MessageToPage` in OnsideKit, which other packages
/// cannot see.
struct LoggedMessage {
  private let object: [String: Any]

  init?(_ text: String) {
    guard let object = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else { return nil }
    self.object = object
  }

  /// The error of the message that this replies to.
  var error: [String: Any]? { object["error"] as? [String: Any] }

  func numbers(_ name: String) -> [Int] { object[name] as? [Int] ?? [] }
  func parts(_ name: String) -> [[String: Any]] { object[name] as? [[String: Any]] ?? [] }

  /// The items of a message from a page, each by its kind, as `MessageFromPage` in OnsideKit declares them. An item of
  /// another shape is empty; nil when the message is no array.
  static func items(_ text: String) -> [[String: [String: Any]]]? {
    let items = try? JSONSerialization.jsonObject(with: Data(text.utf8)) as? [Any]
    return items?.map { $0 as? [String: [String: Any]] ?? [:] }
  }
}
