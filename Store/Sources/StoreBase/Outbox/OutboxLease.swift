import Foundation

/// The right to deliver some rows until a time. Another process takes a row when the time is over: its holder has died.
///
/// The time is the machine's (``SandboxClock/unmovedNow()``): a sandbox's clock that is moved ends no lease. It is not
/// the database's: so both engines have one text, and a test's clock moves it. A living process renews a lease ten
/// seconds before its end; the clocks of two processes may differ by less than that.
package struct OutboxLease: Sendable {
  /// How long a row of a dead process waits, and a buyer with it.
  static let length: TimeInterval = 15
  /// How old a lease gets until it is renewed.
  static let renewalAge: TimeInterval = 5

  /// The name of this one taking of rows. Ids of rows are used again, and a process may take a row twice: only who
  /// knows the name ends the delivery.
  let token: String
  /// The end, unless it is renewed.
  let until: Date

  init(_ token: String, from now: Date) {
    self.token = token
    until = now + Self.length
  }
}

/// A row that a lease holds.
struct OutboxClaim: Sendable, Hashable {
  let id: Int64
  let token: String
}

/// A row to deliver.
package struct OutboxDelivery: Sendable {
  let claim: OutboxClaim
  let kind: String
  let payload: String
  /// Until when it is held.
  let until: Date
}
