import Foundation

/// What a page says in one message.
struct PageMessage: Decodable, Sendable {
  let calls: [PageCall]?
  let answers: [PageAnswer]?
  let ready: Bool?

  /// Reads a message.
  init(_ text: String, limits: BridgeLimits) throws(BridgeError) {
    let size = text.utf8.count
    guard size <= limits.messageBytes else {
      throw BridgeError(
        .brokenRequest, "A message may have \(limits.messageBytes) bytes, this one has \(size); send less at a time")
    }
    do {
      self = try JSONDecoder().decode(PageMessage.self, from: JSONText.repaired(text))
    } catch {
      throw BridgeError(.brokenRequest, "The message is none of this bridge's: \(DecodingFault(error))")
    }
  }
}

/// One call of a page: what it asks for, or why that could not be understood.
struct PageCall: Decodable, Sendable {
  enum Key: String, CodingKey { case id, function, parameters }

  let id: Int
  let request: Result<BridgeRequest, BridgeError>

  init(from decoder: any Decoder) throws {
    let container = try decoder.container(keyedBy: Key.self)
    id = try container.decode(Int.self, forKey: .id)
    let name = try container.decode(String.self, forKey: .function)
    guard let function = BridgeFunction.byName[name] else {
      request = .failure(.notDefined(name))
      return
    }
    do {
      request = .success(try function.read(BridgeParameters(container: container)))
    } catch {
      request = .failure(.invalid(function, error))
    }
  }
}

/// A page's answer to a gate.
struct PageAnswer: Decodable, Sendable {
  let gate: Int
  let value: Bool
}

extension BridgeError {
  fileprivate static func notDefined(_ name: String) -> BridgeError {
    BridgeError(.functionNotDefined, "window.onside has no function \"\(name.prefix(100))\"")
  }

  fileprivate static func invalid(_ function: BridgeFunction, _ error: any Error) -> BridgeError {
    let expected = function.parameter.map { "\($0.name): \($0.type)" } ?? "nothing"
    return BridgeError(.invalidArguments, "\(function.name) expects \(expected); \(DecodingFault(error))")
  }
}

/// A decoding error in a few words, without the values that came.
private struct DecodingFault: CustomStringConvertible {
  let description: String

  init(_ error: any Error) {
    description =
      switch error as? DecodingError {
      case .typeMismatch(let type, let context): "\(Self.path(context)) is no \(type)"
      case .valueNotFound(_, let context): "\(Self.path(context)) is missing"
      case .keyNotFound(let key, let context): "\(Self.path(context, key)) is missing"
      case .dataCorrupted(let context): "\(Self.path(context)) is not valid"
      default: "it cannot be read"
      }
  }

  private static func path(_ context: DecodingError.Context, _ key: (any CodingKey)? = nil) -> String {
    let keys = (context.codingPath + [key].compactMap { $0 }).map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
    return keys.isEmpty ? "it" : keys.joined(separator: ".").replacing(".[", with: "[")
  }
}
