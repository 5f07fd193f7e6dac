import Foundation
import OnsideAPI

/// A message to a page, as a reply or on its own. The page handles events first, then gates, then results.
///
/// `page.js` reads it in the web page, and `LoggedMessage` and `PageLog` of `onside dev` read it by the same keys.
/// Messages from a page are a ``MessageFromPage``.
struct MessageToPage: Sendable {
  let page: String
  /// The message's number among those of the page; nil in a reply without results.
  var number: Int?
  var events: [BridgeEvent] = []
  var gates: [BridgeGate] = []
  /// The gates whose answers are no longer needed.
  var withdrawn: [Int] = []
  /// Whether the page has to answer a heartbeat.
  var isHeartbeat = false
  var results: [BridgeResult] = []
  /// The error of the refused message that this one answers.
  var error: BridgeError?

  /// Encodes the message as JSON. Throws when an event or a gate cannot be encoded; a result always can.
  func text(encodingTransactionsWith encode: (OnsidePaymentTransaction) throws -> JSONText) throws -> String {
    var text = try JSONText(Head(message: self)).text
    text.removeLast()
    text += Self.field("events", try events.map { try $0.text(encodingTransactionsWith: encode) })
    return text + Self.field("results", results.map(\.text)) + "}"
  }

  /// A further field of the message: an array of JSON texts, which an encoder cannot embed. An empty one is left out.
  private static func field(_ name: String, _ elements: [String]) -> String {
    elements.isEmpty ? "" : #","\#(name)":["# + elements.joined(separator: ",") + "]"
  }

  /// The message without the parts that may fail to encode: its number and results remain, so that calls settle.
  var withoutEventsAndGates: MessageToPage {
    var message = self
    message.events = []
    message.gates = []
    return message
  }
}

/// All of a message except the events and the results.
private struct Head: Encodable {
  let message: MessageToPage

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

/// The result of a call.
struct BridgeResult: Sendable {
  let call: Int
  let outcome: BridgeOutcome

  /// The result as JSON. An error replaces a value that cannot be encoded, so that the call settles (JSB-8).
  var text: String {
    do {
      return switch outcome {
      case .done: #"{"id":\#(call)}"#
      case .value(let encoded): object(with: "value", try encoded())
      case .rejection(let error): object(with: "rejection", try JSONText(error))
      case .error(let error): object(with: "error", try JSONText(error))
      }
    } catch {
      return object(with: "error", (try? JSONText(BridgeError.resultNotSerializable)) ?? .null)
    }
  }

  private func object(with name: String, _ value: JSONText) -> String {
    #"{"id":\#(call),"\#(name)":\#(value.text)}"#
  }
}

/// The outcome of a page's call.
enum BridgeOutcome: Sendable {
  /// Success without a value.
  case done
  /// A value, which is encoded when its message is sent, off the main actor.
  case value(@Sendable () throws -> JSONText)
  /// One of the documented errors: `{ caseName: {} }`.
  case rejection(any Encodable & Sendable)
  case error(BridgeError)

  /// A value as JSON text.
  static func json(_ text: JSONText) -> BridgeOutcome { .value { text } }

  init<Failure: Error & Encodable>(_ result: Result<Void, Failure>) {
    switch result {
    case .success: self = .done
    case .failure(let error): self = .rejection(error)
    }
  }

  /// The outcome of a queue call's pre-flight: a published reason is the call's domain error, any other reason a
  /// ``BridgeError``.
  init(_ result: QueueCallResult) {
    switch result.error {
    case nil: self = .done
    case let error?: self.init(failure: error)
    }
  }

  /// The outcome for an error: a ``BridgeError`` for an ``OnsideFailure``, a rejection for another encodable error, and
  /// `cannotSerializeResponse` for the rest.
  init(failure: any Error) {
    if let failure = failure as? OnsideFailure {
      self = .error(BridgeError(failure))
    } else if let error = failure as? any Error & Encodable {
      self = .rejection(error)
    } else {
      self = .error(.resultNotSerializable)
    }
  }
}

/// Domain errors of pages alone.
struct UnknownProduct: Error, Encodable {
  let unknownProduct: [String: String] = [:]
}

struct UnknownTransaction: Error, Encodable {
  let unknownTransaction: [String: String] = [:]
}

/// A value as JSON text: encoded once, then cached, compared and inserted into messages.
struct JSONText: Sendable, Hashable {
  let text: String

  static let null = JSONText(text: "null")

  static func array(_ elements: [JSONText]) -> JSONText {
    JSONText(text: "[" + elements.map(\.text).joined(separator: ",") + "]")
  }

  private static let encoder = WireCoding.encoder()
}

extension JSONText {
  init(_ value: some Encodable) throws {
    self.init(text: String(decoding: try Self.encoder.encode(value), as: UTF8.self))
  }
}
