/// How a call of a page ended.
enum BridgeOutcome: Sendable {
  /// Done, without a value.
  case done
  case value(any Encodable & Sendable)
  /// A value that is JSON already.
  case json(JSONText)
  /// One of the documented errors: `{ caseName: {} }`.
  case rejection(any Encodable & Sendable)
  case error(BridgeError)

  init<Failure: Error & Encodable>(_ result: Result<Void, Failure>) {
    switch result {
    case .success: self = .done
    case .failure(let error): self = .rejection(error)
    }
  }

  /// A published error, or one that nobody knows of.
  init(failure: any Error) {
    if let error = failure as? any Error & Encodable {
      self = .rejection(error)
    } else {
      self = .error(BridgeError(.cannotSerializeResponse, "An error came that has no JSON form"))
    }
  }

  /// The result of a call as JSON. What cannot be written is an error too, so that the call settles (JSB-8).
  func json(of call: Int) -> String {
    do {
      return switch self {
      case .done: #"{"id":\#(call)}"#
      case .value(let value): #"{"id":\#(call),"value":\#(try JSONText(value).text)}"#
      case .json(let json): #"{"id":\#(call),"value":\#(json.text)}"#
      case .rejection(let error): #"{"id":\#(call),"rejection":\#(try JSONText(error).text)}"#
      case .error(let error): #"{"id":\#(call),"error":\#(try error.json)}"#
      }
    } catch {
      return
        #"{"id":\#(call),"error":{"code":"\#(BridgeError.Code.cannotSerializeResponse)","message":"no JSON form"}}"#
    }
  }
}

/// The domain errors that only pages meet.
struct UnknownProduct: Error, Encodable {
  let unknownProduct: [String: String] = [:]
}

struct UnknownTransaction: Error, Encodable {
  let unknownTransaction: [String: String] = [:]
}

extension BridgeError {
  var json: String {
    get throws { #"{"code":"\#(code.rawValue)","message":\#(try JSONText(description).text)}"# }
  }
}
