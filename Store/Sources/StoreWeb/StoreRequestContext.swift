import HTTPTypes
public import Hummingbird
import NIOCore
import NIOHTTPTypes
import OnsideAPI

/// What travels beside a request: who called, and what the route allows.
public struct StoreRequestContext: RequestContext {
  /// Hummingbird's own part.
  public var coreContext: CoreRequestContextStorage
  /// The most bytes that the body may have.
  public var maxUploadSize: Int = RouteLimits.standard.body
  /// The caller's network address; nil where there is none, as in tests without a socket.
  public let clientAddress: String?
  private let channel: any Channel
  /// The claims of the access token; nil without one.
  public var claims: AccessClaims?
  /// The API key of the request; nil on routes without keys.
  public var apiKey: APIKeyCaller?
  /// Counts the request; nil for a route that is always admitted.
  var admission: AdmissionMiddleware?
  /// The id of the registered app that calls: from the access token or the API key, else from the header `Onside-App`.
  public var appID: String?

  /// Made for each request.
  public init(source: ApplicationRequestContextSource) {
    coreContext = CoreRequestContextStorage(source: source)
    clientAddress = source.channel.remoteAddress?.ipAddress
    channel = source.channel
  }

  /// Tells a client that waits for leave to send its body that it has it.
  func sendContinue() async throws {
    try await channel.writeAndFlush(HTTPResponsePart.head(HTTPResponse(status: .continue)))
  }

  /// The claims of the access token; throws `not_authenticated` without one.
  public func requireClaims() throws(Problem) -> AccessClaims {
    guard let claims else { throw .notAuthenticated }
    return claims
  }

  /// The API key of the request; throws `not_authenticated` without one.
  public func requireAPIKey() throws(Problem) -> APIKeyCaller {
    guard let apiKey else { throw .notAuthenticated }
    return apiKey
  }

  /// The id of the app that calls; throws `app_not_registered` for a request without one.
  public func requireAppID() throws(Problem) -> String {
    guard let appID else { throw .appNotRegistered }
    return appID
  }
}
