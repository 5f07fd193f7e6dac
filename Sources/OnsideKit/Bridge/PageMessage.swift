import Foundation
import OnsideAPI

/// A message from a page: a JSON array of what the page has said in one turn, in that order.
///
///     [
///       {"call":{"id":12,"function":"loadProducts","parameters":"{\"productIdentifiers\":[\"coins\"]}"}},
///       {"answer":{"gate":3,"value":true}},
///       {"ready":{}},
///       {"alive":{}}
///     ]
///
/// Replies are a ``BridgeMessage``.
struct PageMessage: Sendable {
  enum Item: Decodable, Sendable {
    /// The id is one that no open call of the page has. The parameters are JSON text of their own, because the
    /// function decides how they are decoded, and because large ones are decoded on another thread.
    case call(id: Int, function: String, parameters: String?)
    /// The answer to a gate.
    case answer(gate: Int, value: Bool)
    /// The page listens to events and gates.
    case ready
    /// The answer to a heartbeat.
    case alive
  }

  let items: [Item]

  private static let decoder = WireCoding.decoder()

  /// Decodes a message: all of it or nothing.
  init(_ text: String, limits: BridgeLimits) throws(BridgeError) {
    let size = text.utf8.count
    guard size <= limits.messageBytes else { throw .tooLarge(size, limits) }
    do {
      items = try Self.decoder.decode([Item].self, from: Data(text.utf8))
    } catch {
      throw BridgeError(.brokenRequest, "The message is none of this bridge's: \(DecodingFault(error))")
    }
  }
}

extension BridgeError {
  /// The refusal of a message with more bytes than the limits allow.
  static func tooLarge(_ size: Int, _ limits: BridgeLimits) -> BridgeError {
    BridgeError(
      .brokenRequest, "A message may have \(limits.messageBytes) bytes, this one has \(size); send less at a time")
  }
}
