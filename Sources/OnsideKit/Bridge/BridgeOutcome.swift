/// How a call of a page ended.
enum BridgeOutcome: Sendable {
  /// Done, without a value.
  case done
  case value(any JSONWritable & Sendable)
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

  /// How the pre-flight of a call of the queue ended. Its publishable reasons are the calls' errors; the others say what
  /// was in the way.
  init(_ result: QueueCallResult) {
    switch result.error {
    case nil: self = .done
    case let error?: self.init(failure: error)
    }
  }

  /// A published error, or one that nobody knows of.
  init(failure: any Error) {
    if let failure = failure as? OnsideFailure {
      self = .error(BridgeError(failure))
    } else if let error = failure as? any Error & Encodable {
      self = .rejection(error)
    } else {
      self = .error(BridgeError(.cannotSerializeResponse, "An error came that has no JSON form"))
    }
  }
}

/// The result of a call. What cannot be written is an error too, so that the call settles (JSB-8).
struct BridgeResult: Sendable, JSONWritable {
  let call: Int
  let outcome: BridgeOutcome
  /// The calls of so many ids that follow end in the same way.
  var again = 0

  func write(to json: inout JSONWriter) {
    json.object {
      $0.field("id", call)
      $0.field("again", again > 0 ? again : nil)
      switch outcome {
      case .done: break
      case .value(let value): $0.field("value", value)
      case .json(let value): $0.field("value", value)
      case .rejection(let error):
        do {
          $0.field("rejection", try JSONText(encoding: error))
        } catch {
          $0.field("error", BridgeError(.cannotSerializeResponse, "An error came that has no JSON form"))
        }
      case .error(let error): $0.field("error", error)
      }
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

extension BridgeError: JSONWritable {
  func write(to json: inout JSONWriter) {
    json.object {
      $0.field("code", code.rawValue)
      $0.field("message", description)
    }
  }
}
