package import Foundation

/// A row of the audit.
package struct AuditEntry: Sendable, Hashable {
  /// The end of an act.
  package enum Outcome: String, Sendable {
    /// Success; or an interruption after the first change, as by a crash.
    case done
    /// An error after the first change.
    case incomplete
    /// An error before any change.
    case failed
  }

  /// A UUID of version 7.
  package let id: String
  /// The store's time.
  package let date: Date
  package let act: AuditedAct
  package let outcome: Outcome
  /// The text of the error; nil for ``Outcome/done``.
  package let error: String?

  package init(id: String, date: Date, act: AuditedAct, outcome: Outcome, error: String?) {
    (self.id, self.date, self.act, self.outcome, self.error) = (id, date, act, outcome, error)
  }
}

/// A choice of rows of the audit.
package struct AuditFilter: Sendable, Hashable {
  /// Maximum number of rows; the newest ones are chosen.
  package var limit: Int
  /// Only rows from this moment on.
  package var since: Date?
  /// Only this act, or the acts of this command: `subscription` includes `subscription stop`.
  package var act: String?
  /// Only acts of this operator.
  package var operatorName: String?

  package init(limit: Int = 50, since: Date? = nil, act: String? = nil, operatorName: String? = nil) {
    (self.limit, self.since, self.act, self.operatorName) = (limit, since, act, operatorName)
  }
}
