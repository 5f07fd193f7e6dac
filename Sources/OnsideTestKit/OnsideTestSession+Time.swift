public import Foundation

/// Time, which stands still until a test moves it.
extension OnsideTestSession {
  /// The present time of the session's clock. Every session begins on 15 January 2027, 8:00 UTC.
  public var now: Date { world.clock.now }

  /// Moves the clock by a length of time and runs everything that falls into it.
  ///
  /// Each event that is due happens at its own moment, in order: renewals, grace periods, retries of payments and
  /// devices, expiries. When this returns, all results have reached the apps. While the store is offline, one retry of
  /// the devices at the end stands for all.
  ///
  /// ```swift
  /// try await session.advance(by: .days(17))
  /// ```
  ///
  /// - Parameter span: how far to move it.
  /// - Throws: a failure that names what is still at work when the session's ``patience`` is over, or when more than
  ///   100,000 events were due.
  public func advance(
    by span: TimeSpan, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) async throws {
    try await world.advance(to: span.after(now), CallSite(fileID, filePath: filePath, line: line, column: column))
  }

  /// Moves the clock to a moment, and runs everything that falls into the time.
  ///
  /// - Parameter moment: the new time; an earlier one than ``now`` moves nothing.
  /// - Throws: a failure that names what is still at work.
  public func advance(
    to moment: Date, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async throws {
    try await world.advance(to: max(moment, now), CallSite(fileID, filePath: filePath, line: line, column: column))
  }

  /// Waits until everything that is under way has reached the apps; the clock does not move.
  ///
  /// Call it after an action of the store, such as a refund, before an assertion about the app.
  ///
  /// - Throws: a failure that names what is still at work when the session's ``patience`` is over.
  public func settle(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async throws {
    try await world.settle(CallSite(fileID, filePath: filePath, line: line, column: column))
  }
}
