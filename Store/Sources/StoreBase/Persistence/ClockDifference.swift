public import Foundation
public import Logging

/// How far this machine's clock is from the database server's. Processes on several machines share one database, whose
/// rows carry the time of the machine that wrote them: leases, the ends of codes and sessions, the order of purchases.
public struct ClockDifference: Sendable, Hashable {
  /// From how many seconds on a store warns.
  public static let warningThreshold: TimeInterval = 1
  /// From how many seconds on a store does not start: two machines then differ by less than the ten seconds that the
  /// leases of deliveries allow.
  public static let refusalThreshold: TimeInterval = 4

  /// How many seconds this machine is ahead of the server; negative when it is behind.
  public let seconds: TimeInterval

  /// A difference of some seconds.
  public init(seconds: TimeInterval) { self.seconds = seconds }

  /// What a question to the server proves: its answer is from some time between `asked` and `answered`, at best from
  /// halfway.
  init(asked: Date, server: Date, answered: Date) {
    let halfway = asked.addingTimeInterval(answered.timeIntervalSince(asked) / 2)
    let found = halfway.timeIntervalSince(server)
    let uncertain = abs(answered.timeIntervalSince(asked)) / 2
    seconds = found.magnitude <= uncertain ? 0 : found - (found < 0 ? -uncertain : uncertain)
  }

  /// Refuses to go on when the clocks differ too much, and warns when they differ. To be called before a store serves.
  ///
  /// - Parameter clock: the machine's clock, not one that a sandbox has moved.
  public static func check(_ database: any Database, clock: any StoreClock, logger: Logger) async throws {
    guard let difference = try await database.clockDifference(of: clock) else { return }
    if difference.seconds.magnitude > refusalThreshold { throw ClockTooFarOff(difference: difference) }
    if difference.seconds.magnitude > warningThreshold {
      logger.warning(
        "this machine's clock differs from the database server's: synchronise both (NTP)",
        metadata: ["difference": "\(difference)"])
    }
  }
}

extension ClockDifference: CustomStringConvertible {
  /// Such as `31.5 s ahead`.
  public var description: String { "\(size) \(seconds < 0 ? "behind" : "ahead")" }

  /// Such as `31.5 s ahead of it`, and `31.5 s behind it`.
  public func relation(to other: String) -> String { "\(size) \(seconds < 0 ? "behind" : "ahead of") \(other)" }

  private var size: String { "\((seconds.magnitude * 10).rounded() / 10) s" }
}

/// The clocks differ too much for a store to serve. Nothing was changed.
public struct ClockTooFarOff: Error, Sendable, Equatable, CustomStringConvertible {
  /// How much they differ.
  public let difference: ClockDifference

  /// The message for the operator: the problem and its remedy.
  public var description: String {
    """
    expected this machine's clock within \(Int(ClockDifference.refusalThreshold)) s of the database server's, got one that is \
    \(difference.relation(to: "it")). Synchronise the clocks of both machines (NTP), and start again.
    """
  }
}
