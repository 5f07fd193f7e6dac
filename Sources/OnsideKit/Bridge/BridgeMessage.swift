/// A message to a page, as a reply or on its own. The page handles events first, then gates, then results.
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

  /// The message as JSON. Empty if it had no JSON form, which a page takes for a lost message.
  var text: String {
    guard var text = (try? JSONText(self))?.text else { return "" }
    guard !results.isEmpty else { return text }
    // Results contain JSON that is encoded already, which an encoder cannot embed: they are put in as text.
    text.removeLast()
    text += #","results":["#
    text += results.map(\.text).joined(separator: ",")
    text += "]}"
    return text
  }
}

/// All of it except the results.
extension BridgeMessage: Encodable {
  private enum Key: CodingKey { case page, number, events, gates, withdrawn, heartbeat, error }

  func encode(to encoder: any Encoder) throws {
    var message = encoder.container(keyedBy: Key.self)
    try message.encode(page, forKey: .page)
    try message.encodeIfPresent(number, forKey: .number)
    if !events.isEmpty { try message.encode(events, forKey: .events) }
    if !gates.isEmpty { try message.encode(gates, forKey: .gates) }
    if !withdrawn.isEmpty { try message.encode(withdrawn, forKey: .withdrawn) }
    if isHeartbeat { try message.encode(true, forKey: .heartbeat) }
    try message.encodeIfPresent(error, forKey: .error)
  }
}
