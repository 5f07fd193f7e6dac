package import Foundation

/// A browser that is logged in to the store's own pages.
package struct WebSession: Sendable {
  /// The greatest age of a proof for actions that cannot be undone, in seconds.
  static let freshness: TimeInterval = 10 * 60
  /// The shortest time between two writes of the session's last use, in seconds.
  static let grain: TimeInterval = 3600

  package let token: String
  package let account: Account
  /// When the person proved their identity.
  let createdAt: Date
  let usedAt: Date

  package func isFresh(_ now: Date) -> Bool { createdAt + Self.freshness > now }
}
