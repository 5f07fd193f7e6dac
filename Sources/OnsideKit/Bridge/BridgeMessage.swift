/// A message to a page, as a reply or on its own. The page handles events first, then gates, then results.
///
/// `page.js` reads it in the web page, and `LoggedMessage` and `PageLog` of `onside dev` read it by the same keys.
/// Messages from a page are a ``PageMessage``.
struct BridgeMessage: Sendable {
  let page: String
  /// The message's number among those of the page; nil in a reply without results.
  var number: Int?
  var events: [BridgeEvent] = []
  var gates: [BridgeGate] = []
  /// The gates that need no answer any more.
  var withdrawn: [Int] = []
  /// Whether the page has to answer a heartbeat.
  var isHeartbeat = false
  var results: [BridgeResult] = []
  /// Why the message that this replies to was not taken.
  var error: BridgeError?

  /// Encodes the message as JSON. Throws when an event or a gate cannot be encoded; a result always can.
  func text(encodingTransactionsWith encode: (OnsidePaymentTransaction) throws -> JSONText) throws -> String {
    var text = try JSONText(Head(message: self)).text
    text.removeLast()
    text += Self.field("events", try events.map { try $0.text(encodingTransactionsWith: encode) })
    return text + Self.field("results", results.map(\.text)) + "}"
  }

  /// A further field of the message: an array of what is JSON already, which an encoder cannot embed. None if it is
  /// empty.
  private static func field(_ name: String, _ elements: [String]) -> String {
    elements.isEmpty ? "" : #","\#(name)":["# + elements.joined(separator: ",") + "]"
  }

  /// The message without what may have no JSON form: a page that gets it misses no number, and its calls settle.
  var withoutEventsAndGates: BridgeMessage {
    var message = self
    message.events = []
    message.gates = []
    return message
  }
}

/// All of a message except the events and the results.
private struct Head: Encodable {
  let message: BridgeMessage

  private enum Key: CodingKey { case page, number, gates, withdrawn, heartbeat, error }

  func encode(to encoder: any Encoder) throws {
    var head = encoder.container(keyedBy: Key.self)
    try head.encode(message.page, forKey: .page)
    try head.encodeIfPresent(message.number, forKey: .number)
    if !message.gates.isEmpty { try head.encode(message.gates, forKey: .gates) }
    if !message.withdrawn.isEmpty { try head.encode(message.withdrawn, forKey: .withdrawn) }
    if message.isHeartbeat { try head.encode(true, forKey: .heartbeat) }
    try head.encodeIfPresent(message.error, forKey: .error)
  }
}
