public import Foundation
package import StoreBase

/// The offset of the sandbox clock as the database keeps it, so that every process of the store shows the same time.
public struct SandboxClockSetting: Sendable {
  package static let name = "clock_offset_ms"
  package let dependencies: BaseDependencies

  /// The setting of a store.
  package init(_ dependencies: BaseDependencies) {
    self.dependencies = dependencies
  }

  /// Moves the clock forward; only a sandbox has such a clock. Returns the new time. What fails has not moved it: a
  /// repetition moves it once.
  ///
  /// - Throws: ``SandboxClockError``; ``SandboxClockError/outcomeUnknown`` alone may have moved it.
  @discardableResult
  public func advance(by seconds: TimeInterval) async throws -> Date {
    guard dependencies.environment == .sandbox else { throw SandboxClockError.notASandbox }
    guard seconds >= 0 else { throw SandboxClockError.backwards }
    let milliseconds = Int64(seconds * 1000)
    let moved = try await add(milliseconds)
    do { try await reload() } catch {
      // It is moved, and only its reading has failed. Another move may have been read meanwhile.
      let known = dependencies.clock.offsetMilliseconds
      try await dependencies.clock.reloadOffset { max(moved, known) }
    }
    return dependencies.clock.now()
  }

  /// Adds to the offset in the database; returns the new one.
  private func add(_ milliseconds: Int64) async throws -> Int64 {
    do {
      return try await dependencies.database.write(at: dependencies.clock.now()) { transaction in
        let settings = StoreSettings(connection: transaction)
        let offset = (try settings.value(Self.name).flatMap { Int64($0) } ?? 0) + milliseconds
        try settings.set(Self.name, to: String(offset))
        try RevisionRecords.raise(.sandboxClock, in: transaction)
        return offset
      }
    } catch StorageError.outcomeUnknown { throw SandboxClockError.outcomeUnknown }
  }

  /// Takes over what the database says. A production store has no offset, whatever it says.
  package func reload() async throws {
    guard dependencies.environment == .sandbox else { return }
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
  ///
  /// - Parameter left: how many seconds of the move are left.
  case chargeIsOpen(order: String, account: String, at: Date, left: Int)
  /// Something is due that does not get done; the account stands where it is.
  ///
  /// - Parameter left: how many seconds of the move are left.
  case stuck(account: String, at: Date, left: Int)
  /// A move of an account has failed on its way; the account stands where its last step was.
  ///
  /// - Parameter left: how many seconds of the move are left.
  case interrupted(account: String, at: Date, left: Int, reason: String)
  /// The answer of the database was lost: the store's clock was moved, or was not.
  case outcomeUnknown
  /// A move of an account has failed, and the database does not say how far it came.
  case accountOutcomeUnknown(account: String)

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
    case .chargeIsOpen(let order, let account, let date, let left):
      """
      the payment provider has not answered for the renewal \(order): \(Self.stands(at: date)). When it has answered, \
      \(Self.commandForRest(left, of: account)); `onside order show \(order)` says how it stands
      """
    case .stuck(let account, let date, let left):
      """
      what is due for the account at \(date.ISO8601Format()) does not get done, and it stands there; the log says why, \
      and `onside subscription list` what. Afterwards \(Self.commandForRest(left, of: account))
      """
    case .interrupted(let account, let date, let left, let reason):
      "the move has failed on its way (\(reason)): \(Self.stands(at: date)). \(Self.commandForRest(left, of: account))"
    case .outcomeUnknown:
      """
      it is not known whether the clock was moved, because the database's answer was lost: `onside clock show` says how \
      it stands; move it again only if it was not
      """
    case .accountOutcomeUnknown(let account):
      """
      it is not known how far the account was moved, because the database does not answer: \
      `onside clock show --account \(account)` says where it stands
      """
    }
  }

  private static func stands(at date: Date) -> String { "the account stands at \(date.ISO8601Format())" }

  /// The command that makes the rest of a failed move; the whole move once more would go too far.
  private static func commandForRest(_ seconds: Int, of account: String) -> String {
    "`onside clock advance \(seconds)s --account \(account)` makes the rest of the move"
  }
}
