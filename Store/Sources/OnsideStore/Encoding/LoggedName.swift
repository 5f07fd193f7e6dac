/// An error of which the log may say more than the name of a case.
protocol LoggedDetails: Error {
  /// A code or the name of a case; never a text that may hold what a person sent, or a secret.
  var loggedDetails: String { get }
}

extension Error {
  /// What logs, traces and the outbox may say of an error: its type, and which case it is, such as
  /// `OnsideStore.StorageError.unavailable 5386`. What a case holds stays out: it may be what a user sent.
  var loggedName: String {
    let type = String(reflecting: type(of: self))
    if let known = self as? any LoggedDetails { return "\(type).\(known.loggedDetails)" }
    return enumCase.map { "\(type).\($0)" } ?? type
  }

  /// The name that the source has for the case of an enumeration; nil for other types.
  private var enumCase: String? {
    let value: Any = self
    // A mirror or a description of the type's own could say anything.
    guard !(value is any CustomReflectable) else { return nil }
    let mirror = Mirror(reflecting: value)
    guard mirror.displayStyle == .enum else { return nil }
    if let held = mirror.children.first { return held.label }
    let isDescribed = value is any CustomStringConvertible || value is any CustomDebugStringConvertible
    return isDescribed ? nil : String(describing: value)
  }
}

extension StorageError: LoggedDetails {
  var loggedDetails: String {
    switch self {
    case .full: "full"
    case .unavailable(let code, _): "unavailable \(code)"
    case .guardFile: "guardFile"
    case .busy: "busy"
    case .closed: "closed"
    case .constraint: "constraint"
    case .damaged: "damaged"
    case .invalidValue(let sqlState, _): "invalidValue \(sqlState ?? "client")"
    case .unexpectedValue(let column, _): "unexpectedValue \(column)"
    case .unreachable: "unreachable"
    case .outcomeUnknown: "outcomeUnknown"
    case .failed(let code, _): "failed \(code)"
    case .refused(let sqlState, _): "refused \(sqlState ?? "client")"
    }
  }
}
