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
  /// The account behind the access token, when one came.
  public var claims: AccessTokenIssuer.Claims?
  /// Counts the request; nil for a route that is always admitted.
  var admission: AdmissionMiddleware?
  /// The app that is calling: from the access token, else the `Onside-App` header.
  public var app: App?

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

  /// The account behind the access token; throws `not_authenticated` when none came.
  public func requireClaims() throws(Problem) -> AccessTokenIssuer.Claims {
    guard let claims else { throw .notAuthenticated }
    return claims
  }

  /// The app that is calling; throws `app_not_registered` when none is known.
  public func requireApp() throws(Problem) -> App {
    guard let app else { throw Problem(.notFound, code: .appNotRegistered) }
    return app
  }
}
