import Foundation

/// A record of Swift Testing's JSON event stream (its ABI, version 0), as far as the tables need it.
struct TestEvent: Decodable {
  struct Payload: Decodable {
    struct Message: Decodable { var symbol: String, text: String }
    struct Issue: Decodable { var isKnown: Bool }
    struct Instant: Decodable { var absolute: Double }

    var kind: String
    var id: String?
    var displayName: String?
    var testID: String?
    var instant: Instant?
    var issue: Issue?
    var messages: [Message]?
  }

  var kind: String
  var payload: Payload

  /// A case, when this announces one.
  var announcedCase: (id: String, name: String)? {
    guard kind == "test", payload.kind == "function", let id = payload.id, let name = payload.displayName else {
      return nil
    }
    return (id, name)
  }

  /// What the messages say of a failure or a reason, in one line.
  var text: String { (payload.messages ?? []).map(\.text).joined(separator: " ") }

  /// Why a case was not tried.
  var skipReason: String {
    guard let range = text.range(of: " skipped: ") else { return "not tried" }
    return text[range.upperBound...].trimmingCharacters(in: CharacterSet(charactersIn: "\""))
  }
}
