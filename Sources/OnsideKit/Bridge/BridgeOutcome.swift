/// The outcome of a page's call.
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
      self = .error(BridgeError(.cannotSerializeResponse, "An error came that has no JSON form"))
    }
  }
}

/// The result of a call. An error that cannot be encoded is replaced by another one, so that the call settles (JSB-8).
struct BridgeResult: Sendable, JSONWritable {
  let call: Int
  let outcome: BridgeOutcome
  /// How many of the following call ids have the same outcome.
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

/// Domain errors that only pages get.
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
