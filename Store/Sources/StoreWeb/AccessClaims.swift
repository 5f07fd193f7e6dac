public import Foundation

/// The claims of an access token: account, app and session of a request.
public struct AccessClaims: Sendable, Hashable {
  /// The account, a UUID in lower case.
  public var accountID: String
  /// The app that it was made for.
  public var appID: String
  /// The session that it belongs to, a UUID in lower case.
  public var sessionID: String
  /// The number of the refresh token of the same answer; nil in tokens of earlier versions.
  public var generation: Int64?
  /// The end of the token's lifetime.
  public var expiresAt: Date

  /// The claims of a token.
  public init(accountID: String, appID: String, sessionID: String, generation: Int64? = nil, expiresAt: Date) {
    self.accountID = accountID
    self.appID = appID
    self.sessionID = sessionID
    self.generation = generation
    self.expiresAt = expiresAt
  }
}
