import Foundation

/// A browser that is logged in to the store's own pages.
struct WebSession: Sendable {
  /// The greatest age of a proof for actions that cannot be undone, in seconds.
  static let freshness: TimeInterval = 10 * 60
  /// The shortest time between two writes of the session's last use, in seconds.
  static let grain: TimeInterval = 3600

  let token: String
  let account: Account
  /// When the person proved their identity.
  let createdAt: Date
  let usedAt: Date

  func isFresh(_ now: Date) -> Bool { createdAt + Self.freshness > now }
}
