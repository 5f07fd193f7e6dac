import Foundation
import OnsideAPI

/// A message from a page: a JSON array of what the page has said in one turn, in that order.
///
///     [
///       {"call":{"id":12,"function":"loadProducts","parameters":"{\"productIdentifiers\":[\"coins\"]}"}},
///       {"answer":{"gate":3,"value":true}},
///       {"delivered":{"revocations":["0199f3a0-4c1e-7000-8000-000000000001"]}},
///       {"handlers":{"names":["onTransactionsUpdated"]}},
///       {"ready":{}},
///       {"alive":{}}
///     ]
///
/// `page.js` writes it in the web page, and `LoggedMessage` and `PageLog` of `onside dev` read it by the same keys.
/// Replies are a ``BridgeMessage``.
struct PageMessage: Sendable {
  enum Item: Sendable {
    /// The id is one that no open call of the page has.
    case call(id: Int, request: PageRequest)
    /// The answer to a gate.
    case answer(gate: Int, value: Bool)
    /// The ids of the revoked transactions whose handler has returned.
    case delivered(revocations: [UUID])
    /// The names of the callbacks for which the page has a handler now.
    case handlers(Set<String>)
    /// The page listens to events and gates.
    case ready
    /// The answer to a heartbeat.
    case alive
  }

  let items: [Item]

  private static let decoder = WireCoding.decoder()

  /// Decodes a message: all of it or nothing.
  init(_ text: String) throws(BridgeError) {
    do {
      items = try Self.decoder.decode([WireItem].self, from: Data(text.utf8)).map(\.item)
    } catch {
      throw BridgeError(.brokenRequest, description: "The message is not one of this bridge's: \(DecodingFault(error))")
    }
  }
}

/// An item as its JSON has it.
private enum WireItem: Decodable {
  /// The parameters are JSON text of their own, because the function decides how they are decoded.
  case call(id: Int, function: String, parameters: String?)
  case answer(gate: Int, value: Bool)
  case delivered(revocations: [UUID])
  case handlers(names: Set<String>)
  case ready
  case alive

  var item: PageMessage.Item {
    switch self {
    case .call(let id, let function, let parameters):
      .call(id: id, request: PageRequest(function: function, parameters: parameters))
    case .answer(let gate, let value): .answer(gate: gate, value: value)
    case .delivered(let ids): .delivered(revocations: ids)
    case .handlers(let names): .handlers(names)
    case .ready: .ready
    case .alive: .alive
    }
  }
}

extension BridgeError {
  /// The refusal of a message with more bytes than the limits allow.
  static func tooLarge(_ size: Int, limits: BridgeLimits) -> BridgeError {
    BridgeError(
      .brokenRequest,
      description: "A message may have \(limits.messageBytes) bytes, this one has \(size); send less at a time")
  }

  /// The refusal of a message while others of the page, together too large, wait to be decoded.
  static let tooMuchWaits = BridgeError(
    .brokenRequest, description: "Too many bytes of earlier messages wait to be decoded; wait for their results")
}
