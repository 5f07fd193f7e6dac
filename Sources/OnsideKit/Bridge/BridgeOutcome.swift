/// The outcome of a page's call.
enum BridgeOutcome: Sendable {
  /// Done, without a value.
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

/// Domain errors that only pages get.
struct UnknownProduct: Error, Encodable {
  let unknownProduct: [String: String] = [:]
}

struct UnknownTransaction: Error, Encodable {
  let unknownTransaction: [String: String] = [:]
}
