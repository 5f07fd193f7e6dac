import StoreBase

/// The part of a command line that the audit records: no secret, and of an account its id only.
struct CommandAct {
  private let name: String
  private let subject: String?
  private let arguments: [String: String]

  /// - Parameters:
  ///   - name: the command, such as `subscription stop`.
  ///   - subject: the id of the object that it changes.
  ///   - arguments: further values, by the names of their options; nil for an option that is not set.
  init(_ name: String, of subject: String? = nil, _ arguments: [String: String?] = [:]) {
    (self.name, self.subject, self.arguments) = (name, subject, arguments.compactMapValues { $0 })
  }

  /// The act of an operator.
  func audited(by operatorName: String) -> AuditedAct {
    AuditedAct(name, of: subject, by: operatorName, via: .command, arguments: arguments)
  }
}
