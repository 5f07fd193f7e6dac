import Foundation

/// The request of a page's call, or the error why it could not be decoded.
enum PageRequest: Sendable {
  case read(Result<BridgeRequest, BridgeError>)
  /// Its parameters are large. Decoding some megabytes from a hostile page takes many seconds, so a separate thread
  /// decodes them.
  case unread(BridgeFunction, BridgeParameters)

  /// The parameters that are decoded at once, in bytes.
  private static let small = 4096

  init(function name: String, parameters: String?) {
    guard let function = BridgeFunction.byName[name] else {
      self = .read(.failure(.notDefined(name)))
      return
    }
    let parameters = BridgeParameters(json: parameters)
    let isSmall = parameters.size <= Self.small
    self = isSmall ? .read(Self.read(function, parameters)) : .unread(function, parameters)
  }

  private static func read(
    _ function: BridgeFunction, _ parameters: BridgeParameters
  ) -> Result<BridgeRequest, BridgeError> {
    Result { try function.read(parameters) }.mapError { .invalid(function, $0) }
  }

  /// The one thread that decodes large parameters: on many, each would keep some of the memory that it once needed.
  private static let reader = DispatchQueue(label: "onside.bridge.reader")

  /// Decodes large parameters, on a thread that may be busy for long.
  static func read(
    _ function: BridgeFunction, _ parameters: BridgeParameters
  ) async -> Result<BridgeRequest, BridgeError> {
    await withCheckedContinuation { done in
      reader.async { done.resume(returning: read(function, parameters)) }
    }
  }
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
