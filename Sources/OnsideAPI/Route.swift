/// One route of the store's HTTP interface: the table that the server mounts, the SDK calls and `docs/openapi.yaml`
/// describes. Path parameters stand in braces, as in OpenAPI.
public struct Route: Hashable, Sendable {
  /// The HTTP methods in use.
  public enum Method: String, Hashable, Sendable, CaseIterable {
    case get = "GET"
    case post = "POST"
  }

  /// Who may call a route, and how the caller proves it.
  public enum Caller: String, Hashable, Sendable, CaseIterable {
    /// Anyone, without proof.
    case anyone
    /// An app that names itself with the `Onside-App` header; an access token is welcome and then counts.
    case app
    /// An account, by `Authorization: Bearer` with an access token.
    case account
    /// A merchant's server, by HTTP Basic authentication with a credential of the app.
    case merchant
    /// A merchant's server, by `Authorization: Bearer` with an API key that has the scope of the route.
    case apiKey
    /// A merchant's server, by `Authorization: Bearer` with a JWT that a secret of the app has signed (HS256).
    case merchantToken
    /// A wallet's device, by a signature of its own key over the request (`Onside-Vault-Signature`).
    case device
    /// The payment provider, by a signature over the body.
    case provider
    /// A person in a browser, by cookie or by an unguessable address; the answer is a page.
    case browser
  }

  /// The HTTP method.
  public let method: Method
  /// The path, for example `/v1/orders/{id}`.
  public let path: String
  /// Who may call it.
  public let caller: Caller
  /// The scope of its callers' API keys; nil for other callers.
  public let scope: APIKeyScope?

  /// Makes a route. The table of all routes is ``Route/all``.
  public init(_ method: Method, _ path: String, by caller: Caller) {
    self.init(method, path, by: caller, scope: nil)
  }

  /// Makes a route for API keys with a scope.
  public init(_ method: Method, _ path: String, scope: APIKeyScope) {
    self.init(method, path, by: .apiKey, scope: scope)
  }

  private init(_ method: Method, _ path: String, by caller: Caller, scope: APIKeyScope?) {
    self.method = method
    self.path = path
    self.caller = caller
    self.scope = scope
  }

  /// The path with its parameters filled in, in order; the values are percent-encoded.
  public func path(_ parameters: String...) -> String {
    var remaining = parameters[...]
    return path.split(separator: "/", omittingEmptySubsequences: false).map { part in
      guard part.hasPrefix("{"), let value = remaining.popFirst() else { return String(part) }
      return PercentEncoding.encode(value)
    }.joined(separator: "/")
  }
}
