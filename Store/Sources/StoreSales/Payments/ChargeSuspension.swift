package import Foundation
package import StoreBase
import StorePayments

/// The suspension of charges in a database that was restored, moved or copied: another database may charge the same
/// subscriptions.
///
/// The setting holds the identity of the database that may charge, so that charges are suspended where the connection
/// reports another one, as after `onside move`. `onside restore` and `onside suspend-charges` set a value that equals
/// no identity. Without the setting nothing is suspended: before the first start, and where the first start could not
/// read an identity.
package enum ChargeSuspension {
  /// The kinds of deliveries that are made during a suspension: payments that a buyer has begun, and their events.
  package static let exemptKinds: Set = [
    PaymentOutboxKind.start, PaymentOutboxKind.confirm, PaymentOutboxKind.notice, PaymentOutboxKind.sandboxEvent,
  ]

  private static let name = "charge_home"
  /// A value that equals no identity.
  private static let nowhere = "none"
  /// The setting with the time since which charges are known not to be suspended, in milliseconds since 1970: that of
  /// the last `resume-charges`, or of the first start of a release that records it.
  private static let endName = "charges_resumed_at"

  /// Whether charges are suspended.
  package static func isActive(in connection: any SQLConnection) throws -> Bool {
    guard let home = try StoreSettings(connection: connection).value(name) else { return false }
    return try connection.databaseIdentity() != home
  }

  /// A Boolean value that indicates whether deliveries of a kind wait until charges resume. It is read for each claim,
  /// because any process may resume charges.
  package static func suspends(_ kind: String, in connection: any SQLConnection) throws -> Bool {
    try !exemptKinds.contains(kind) && isActive(in: connection)
  }

  /// Suspends charges.
  package static func begin(in connection: any SQLConnection) throws {
    try StoreSettings(connection: connection).set(name, to: nowhere)
  }

  /// A Boolean value that indicates whether charges have not been suspended since a time.
  static func isOver(since time: Date, in connection: any SQLConnection) throws -> Bool {
    guard try !isActive(in: connection) else { return false }
    let end = try StoreSettings(connection: connection).value(endName).flatMap { Int64($0) }
    return end.map { $0 <= time.millisecondsSince1970 } ?? false
  }

  /// Ends the suspension: this database may charge.
  package static func end(at now: Date, in connection: any SQLConnection) throws {
    let settings = StoreSettings(connection: connection)
    try settings.set(endName, to: String(now.millisecondsSince1970))
    guard let identity = try connection.databaseIdentity() else { return try settings.remove(name) }
    try settings.set(name, to: identity)
  }

  /// Records the identity of a database that has no record yet, and the time.
  package static func record(at now: Date, in connection: any SQLConnection) throws {
    _ = try StoreSettings(connection: connection).value(endName, orSet: String(now.millisecondsSince1970))
    guard let identity = try connection.databaseIdentity() else { return }
    _ = try StoreSettings(connection: connection).value(name, orSet: identity)
  }
}
