import Foundation
import OnsideAPI

/// A message from a page: a JSON array of the page's items of one turn, in their order.
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
/// Replies are a ``MessageToPage``.
struct MessageFromPage: Sendable {
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

  var item: MessageFromPage.Item {
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

/// The request of a page's call, or the error why it could not be decoded.
typealias PageRequest = Result<BridgeRequest, BridgeError>

extension PageRequest {
  /// Decodes the parameters of a function.
  init(function name: String, parameters: String?) {
    guard let function = BridgeFunction.byName[name] else {
      self = .failure(.notDefined(name))
      return
    }
    do {
      self = .success(try function.decode(BridgeParameters(json: parameters)))
    } catch {
      self = .failure(.invalid(function, error: error))
    }
  }
}

extension BridgeError {
  fileprivate static func notDefined(_ name: String) -> BridgeError {
    BridgeError(.functionNotDefined, description: "window.onside has no function \"\(name.prefix(100))\"")
  }

  fileprivate static func invalid(_ function: BridgeFunction, error: any Error) -> BridgeError {
    let expected = function.parameter.map { "\($0.name): \($0.type)" } ?? "nothing"
    return BridgeError(.invalidArguments, description: "\(function.name) expects \(expected); \(DecodingFault(error))")
  }
}

/// The parameters of one call, not yet decoded.
struct BridgeParameters: Sendable {
  /// JSON text; nil when there are none.
  let json: String?

  private static let decoder = WireCoding.decoder()

  func decode<Value: Decodable>(_ type: Value.Type = Value.self) throws -> Value {
    try Self.decoder.decode(type, from: LoneSurrogates.replaced(in: json ?? "null"))
  }
}

/// Lone surrogates in JSON. A string of JavaScript may contain them; they are not Unicode characters, so a string of
/// Swift has none, and Foundation rejects JSON with the escape of one.
enum LoneSurrogates {
  /// The JSON text with the escape of U+FFFD in place of each escape of a lone surrogate.
  static func replaced(in json: String) -> Data {
    var bytes = Array(json.utf8)
    var index = 0
    while let backslash = bytes[index...].firstIndex(of: UInt8(ascii: "\\")) {
      index = backslash + 2
      switch surrogate(in: bytes, at: backslash) {
      case .none: break
      case .some(let high) where high < 0xDC00:
        if let low = surrogate(in: bytes, at: backslash + 6), low >= 0xDC00 {
          index = backslash + 12
        } else {
          bytes.replaceSubrange(backslash + 2..<backslash + 6, with: "fffd".utf8)
        }
      case .some: bytes.replaceSubrange(backslash + 2..<backslash + 6, with: "fffd".utf8)
      }
      if index >= bytes.count { break }
    }
    return Data(bytes)
  }

  /// The surrogate whose escape begins here, if one does.
  private static func surrogate(in bytes: [UInt8], at index: Int) -> UInt16? {
    guard index + 6 <= bytes.count, bytes[index] == UInt8(ascii: "\\"), bytes[index + 1] == UInt8(ascii: "u"),
      let unit = UInt16(String(decoding: bytes[index + 2..<index + 6], as: UTF8.self), radix: 16)
    else { return nil }
    return (0xD800...0xDFFF).contains(unit) ? unit : nil
  }
}
