public import Foundation
public import OnsideAPI
import StoreBase
import StoreWeb

/// A key with which a merchant's server calls the store for one app.
public struct APIKey: Sendable, Hashable {
  /// The lifetime of the older secret after a rotation.
  static let overlap: TimeInterval = 24 * 3600

  /// The id, which is a part of the token.
  public let id: String
  /// The app.
  public let app: String
  /// A name for operators, which may be empty.
  public let name: String
  /// The scopes.
  public let scopes: Set<APIKeyScope>
  /// The time of creation.
  public let createdAt: Date
  /// The time of the last request; nil before the first one. It is up to a minute late.
  public let lastUsedAt: Date?
  /// The newest secret, and the one before it, which has an end.
  let secrets: [APIKeySecret]

  /// The end of the older secret; nil with one secret.
  public var olderSecretEnd: Date? { secrets.compactMap(\.validUntil).max() }

  /// The caller that a token of this id authenticates.
  func caller(_ token: APIKeyToken, at now: Date) throws(APIKeyRejection) -> APIKeyCaller {
    guard let secret = secrets.first(where: { $0.isSecret(of: token) }) else { throw .secret(id: id) }
    if let end = secret.validUntil, end <= now { throw .replaced(id: id, at: end) }
    return APIKeyCaller(app: app, key: id, scopes: scopes)
  }
}

/// A stored secret of an API key.
struct APIKeySecret: Sendable, Hashable {
  let hash: String
  /// The end of its validity; nil for the newest secret.
  let validUntil: Date?

  func isSecret(of token: APIKeyToken) -> Bool { ConstantTime.areEqual(hash.utf8, token.hash.utf8) }
}
