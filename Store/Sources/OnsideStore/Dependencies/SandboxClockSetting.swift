public import Foundation

/// The offset of the sandbox clock as the database keeps it, so that every process of the store shows the same time.
public struct SandboxClockSetting: Sendable {
  static let name = "clock_offset_ms"
  let dependencies: StoreDependencies

  /// The setting of a store.
  public init(_ dependencies: StoreDependencies) {
    self.dependencies = dependencies
  }

  /// Moves the clock forward; only a sandbox has such a clock. Returns the new time.
  @discardableResult
  public func advance(by seconds: TimeInterval) async throws -> Date {
    guard dependencies.configuration.environment == .sandbox else { throw SandboxClockError.notASandbox }
    guard seconds >= 0 else { throw SandboxClockError.backwards }
    let milliseconds = Int64(seconds * 1000)
    try await dependencies.database.write(at: dependencies.clock.now()) { transaction in
      let settings = StoreSettings(connection: transaction)
      let offset = (try settings.value(Self.name).flatMap { Int64($0) } ?? 0) + milliseconds
      try settings.set(Self.name, to: String(offset))
      try RevisionRecords.raise(.sandboxClock, in: transaction)
    }
    try await reload()
    return dependencies.clock.now()
  }

  /// Takes over what the database says. A production store has no offset, whatever it says.
  func reload() async throws {
    guard dependencies.configuration.environment == .sandbox else { return }
    try await dependencies.clock.reloadOffset {
      let offset = try await dependencies.database.read { try StoreSettings(connection: $0).value(Self.name) }
      return offset.flatMap { Int64($0) } ?? 0
    }
  }
}

/// Why the clock was not moved.
public enum SandboxClockError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The time of a production store is the time.
  case notASandbox
  /// It only goes forward.
  case backwards
  /// It is set back only while there are no orders.
  case ordersExist
  /// An account is set back only while it has no orders.
  case accountHasOrders
  /// One call moves an account by three years at most.
  case tooFar
  /// There is no account with this id, or it was removed.
  case unknownAccount(String)
  /// Another call has moved the account at the same time, and goes on.
  case movedMeanwhile
  /// A renewal waits for its payment provider; the account stands where it was asked for.
  case chargeIsOpen(order: String, at: Date)
  /// Something is due that does not get done; the account stands where it is.
  case stuck(at: Date)

  /// What was expected.
  public var description: String {
    switch self {
    case .notASandbox: "expected a sandbox store: the clock of a production store cannot be moved"
    case .backwards: "expected a time forward: the clock never goes back"
    case .ordersExist:
      """
      the clock cannot be set back: this store has orders, and their dates would lie in the future. Start with a new \
      database file instead
      """
    case .accountHasOrders:
      """
      the account cannot be set back: it has orders, and their dates would lie in its future. Use another account \
      instead
      """
    case .tooFar: "expected three years at most; more of them take more calls"
    case .unknownAccount(let id): "expected the id of an account that was not removed, got \"\(id)\""
    case .movedMeanwhile:
      "expected one move of the account at a time: another call moves it, and goes on; wait for that one"
    case .chargeIsOpen(let order, let date):
      """
      the payment provider has not answered for the renewal \(order): the account stands at \(date.ISO8601Format()). \
      Move it again when the provider has answered; `onside order show \(order)` says how it stands
      """
    case .stuck(let date):
      """
      what is due for the account at \(date.ISO8601Format()) does not get done, and it stands there; the log says why, \
      and `onside subscription list` what
      """
    }
  }
}
