public import OnsideAPI

/// The API key that authenticated a request.
public struct APIKeyCaller: Sendable, Hashable {
  /// The app of the key.
  public let app: String
  /// The id of the key.
  public let key: String
  /// The scopes of the key.
  public let scopes: Set<APIKeyScope>

  /// The caller with a key.
  public init(app: String, key: String, scopes: Set<APIKeyScope>) {
    self.app = app
    self.key = key
    self.scopes = scopes
  }
}
