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
