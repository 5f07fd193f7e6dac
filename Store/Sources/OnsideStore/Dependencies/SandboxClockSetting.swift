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
    let offset = try await dependencies.database.write(at: dependencies.clock.now()) { transaction in
      let settings = StoreSettings(connection: transaction)
      let offset = (try settings.value(Self.name).flatMap { Int64($0) } ?? 0) + milliseconds
      try settings.set(Self.name, to: String(offset))
      try RevisionRecords.raise(.sandboxClock, in: transaction)
      return offset
    }
    dependencies.clock.setOffset(milliseconds: offset)
    return dependencies.clock.now()
  }

  /// Takes over what the database says. A production store has no offset, whatever it says.
  func reload() async throws {
    guard dependencies.configuration.environment == .sandbox else { return }
    let offset = try await dependencies.database.read { try StoreSettings(connection: $0).value(Self.name) }
    dependencies.clock.setOffset(milliseconds: offset.flatMap { Int64($0) } ?? 0)
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
    }
  }
}
