/// An act of an operator, which has one row in the audit.
///
/// ```swift
/// let act = AuditedAct("refund", of: order, by: "anna", via: .command, arguments: ["reason": "support"])
/// try await act.perform(with: dependencies) { try await refunds.refund(id, because: .support) }
/// ```
///
/// The row is written in the act's first transaction that changes data, so that both are committed or neither is. An
/// act that changes nothing, or fails before its first change, has a row of its own.
package struct AuditedAct: Sendable, Hashable {
  /// The kind of an operator's access.
  package enum Access: String, Sendable {
    /// A command of `onside`.
    case command
    /// An API key.
    case key
  }

  /// The act, such as `refund` or `subscription stop`.
  package let name: String
  /// The id of the object that it changes: an order, an account, an app. Of a buyer it is never a contact address.
  package let subject: String?
  /// Further values, by the names of their options. Secrets are never among them.
  package let arguments: [String: String]
  /// The operator's name.
  package let operatorName: String
  /// The operator's access.
  package let access: Access

  package init(
    _ name: String, of subject: String?, by operatorName: String, via access: Access, arguments: [String: String] = [:]
  ) {
    (self.name, self.subject, self.arguments) = (name, subject, arguments)
    (self.operatorName, self.access) = (operatorName, access)
  }

  /// Runs the act and writes its row.
  ///
  /// - Parameter addition: a write in the transaction that inserts the row, after the act's own changes. Its error
  ///   rolls the transaction back. An act that changes nothing does not run it.
  /// - Throws: the act's error; ``UnauditedFailure`` if the row of a failed act cannot be written.
  package func perform<Result: Sendable>(
    with dependencies: BaseDependencies,
    adding addition: @escaping @Sendable (StoreTransaction) throws -> Void = { _ in },
    _ body: () async throws -> Result
  ) async throws -> Result {
    let (clock, database) = (dependencies.clock, dependencies.database)
    let row = PendingAuditRow(
      of: self, id: dependencies.random.uuid7(at: clock.now()).lowercase, adding: addition)
    let result: Result
    do {
      result = try await PendingAuditRow.$current.withValue(row) { try await body() }
    } catch {
      do { try await row.recordFailure(error, in: database, at: clock.now()) } catch let reason {
        throw UnauditedFailure(cause: error, reason: reason)
      }
      throw error
    }
    try await row.recordSuccess(in: database, at: clock.now())
    return result
  }
}

/// A failed act whose audit row cannot be written.
package struct UnauditedFailure: Error, CustomStringConvertible {
  /// The act's error.
  package let cause: any Error
  /// The error of the audit's row.
  package let reason: any Error

  package var description: String { "\(cause)\nCannot write the audit row of this failure: \(reason)" }
}
