/// An error of the store whose log lines have more than the name of its case.
package protocol LoggedDetails: Error {
  /// A code or the name of a case; never a text that may hold what a person sent, or a secret.
  var loggedDetails: String { get }
}

extension Error {
  /// The name of an error in logs, traces and the outbox: its type without the module, and its case, such as
  /// `StorageError.unavailable 5386`. Associated values stay out: they may be a user's input.
  package var loggedName: String {
    let type = String(reflecting: type(of: self)).drop { $0 != "." }.dropFirst()
    if let known = self as? any LoggedDetails { return "\(type).\(known.loggedDetails)" }
    return enumCase.map { "\(type).\($0)" } ?? String(type)
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
  package var loggedDetails: String {
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
