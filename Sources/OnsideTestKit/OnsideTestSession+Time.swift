public import Foundation

/// Time, which stands still until a test moves it.
extension OnsideTestSession {
  /// What time it is. Every session begins on 15 January 2027, 8:00 UTC.
  public var now: Date { world.clock.now }

  /// Moves the clock. Every event that is due in that time happens at its own moment, in order: renewals, grace
  /// periods, retries of payments and devices, expiries. When this returns, all results have reached the apps.
  /// - Throws: a failure that tells what is still at work.
  public func advance(
    by span: TimeSpan, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line,
    column: Int = #column
  ) async throws {
    try await world.advance(to: span.after(now), CallSite(fileID, filePath, line, column))
  }

  /// Moves the clock to a moment; not back.
  /// - Throws: a failure that tells what is still at work.
  public func advance(
    to moment: Date, fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async throws {
    try await world.advance(to: max(moment, now), CallSite(fileID, filePath, line, column))
  }

  /// Returns when everything that is under way has reached the apps; no time passes.
  /// - Throws: a failure that tells what is still at work.
  public func settle(
    fileID: String = #fileID, filePath: String = #filePath, line: Int = #line, column: Int = #column
  ) async throws {
    try await world.settle(CallSite(fileID, filePath, line, column))
  }
}
