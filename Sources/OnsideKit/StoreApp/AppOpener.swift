public import Foundation

/// Opens addresses in other apps of this machine: for logins in the store's own app.
public protocol AppOpener: Sendable {
  /// Whether there is an app for such addresses.
  func canOpen(_ address: URL) async -> Bool
  /// Hands an address to that app; false when it could not be. It may wait for as long as that app runs.
  func open(_ address: URL) async -> Bool
  /// Yields each time the user returns from another app to this one; never where the system does not report that.
  func returns() async -> AsyncStream<Void>
}

/// For machines without other apps, and for tests: every login stays in the app.
public struct NoAppOpener: AppOpener {
  /// Opens nothing.
  public init() {}

  /// Returns `false`.
  public func canOpen(_ address: URL) async -> Bool { false }
  /// Returns `false`.
  public func open(_ address: URL) async -> Bool { false }
  /// An empty stream: the user never leaves the app.
  public func returns() async -> AsyncStream<Void> { AsyncStream { $0.finish() } }
}
