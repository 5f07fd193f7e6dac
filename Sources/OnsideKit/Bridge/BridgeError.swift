/// Why a call of a page did not reach the SDK, or its result not the page. In JavaScript an `Error` named
/// `OnsideBridgeError` with a `code` (JSB-3).
struct BridgeError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The codes that a page may meet. The page's script raises `bridgeDetached` and `parametersNotRepresentable` too.
  enum Code: String, Sendable, CaseIterable, Encodable {
    case bridgeDetached, brokenRequest, disallowedFrame, functionNotDefined, invalidArguments
    case parametersNotRepresentable, cannotSerializeResponse, deadlineExceeded
    /// The reasons of ``OnsideFailure``, where the published error knows the user's decision only.
    case offline, serviceUnavailable, notAvailable, presentationFailed, storageFull, storageInUse, storageUnavailable
    case internalError
  }

  let code: Code
  /// What was expected, what came and what to do.
  let description: String

  init(_ code: Code, description: String) {
    self.code = code
    self.description = description
  }

  init(_ failure: OnsideFailure) {
    self.init(Code(rawValue: failure.code) ?? .internalError, description: failure.description)
  }

  static let detached = BridgeError(
    .bridgeDetached, description: "This page has no connection to the app any more; reload it")

  /// A value or an error whose JSON form is missing; the SDK's own types all have one.
  static let resultNotSerializable = BridgeError(
    .cannotSerializeResponse,
    description: """
      The result of this call cannot be written as JSON, which is a fault in OnsideKit: report it with the \
      function's name
      """)
}

extension BridgeError: Encodable {
  private enum CodingKeys: String, CodingKey {
    case code
    case description = "message"
  }
}
