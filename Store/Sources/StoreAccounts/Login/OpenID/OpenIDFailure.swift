/// Why a provider's word is not taken. What the provider said stays out of it: it may be personal.
enum OpenIDFailure: Error, Sendable, Hashable, CustomStringConvertible {
  /// The provider could not be asked.
  case unreachable(String)
  /// It answered with something else than expected.
  case unexpected(String)
  /// It sent the browser back with an `error`: the person stopped there, or it would not.
  case refused(String)
  /// Its ID token is not good.
  case badToken(IDTokenFault)

  /// What was expected and what came.
  var description: String {
    switch self {
    case .unreachable(let reason): "expected an answer of the provider, got none: \(reason)"
    case .unexpected(let what): "expected \(what)"
    case .refused(let code): "expected the provider to agree, got \(code)"
    case .badToken(let fault): "expected an ID token that is good, got one with \(fault)"
    }
  }
}
