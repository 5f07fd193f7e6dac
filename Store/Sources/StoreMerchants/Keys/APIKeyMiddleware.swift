import HTTPTypes
import Hummingbird
package import OnsideAPI
package import StoreBase
package import StoreWeb

/// Authenticates the API key of a request, and requires the scope of the route. A valid key without the scope of an act
/// has a row in the audit.
package struct APIKeyMiddleware: RouterMiddleware {
  /// The rate limit of rejected keys of one network.
  package static let failureLimit = RateLimit(perSecond: 1, burst: 60)

  private let scope: APIKeyScope
  private let act: MerchantActKind?
  private let keys: APIKeyService
  private let failures: RateLimiter
  private let proxies: Proxies
  private let dependencies: BaseDependencies

  /// - Parameters:
  ///   - scope: the scope of the route.
  ///   - failures: counts the rejected keys of all routes.
  package init(
    route: Route, scope: APIKeyScope, keys: APIKeyService, failures: RateLimiter, proxies: Proxies,
    dependencies: BaseDependencies
  ) {
    self.scope = scope
    act = MerchantActKind(route)
    self.keys = keys
    self.failures = failures
    self.proxies = proxies
    self.dependencies = dependencies
  }

  func handle(
    _ request: Request, context: StoreRequestContext,
    next: (Request, StoreRequestContext) async throws -> Response
  ) async throws -> Response {
    guard let token = APIKeyToken(authorization: request.headers[.authorization]) else { throw APIKeyRejection.form }
    let caller: APIKeyCaller
    do { caller = try await accepted(token) } catch let rejection as APIKeyRejection {
      let network = NetworkPrefix.ofCaller(request.clientAddress(context, proxies: proxies))
      try failures.require(network, uptime: dependencies.clock.uptime())
      try await audit(rejection, context)
      throw rejection
    }
    var context = context
    context.apiKey = caller
    context.appID = caller.app
    return try await next(request, context)
  }

  /// Writes the audit's row of an act without its scope.
  private func audit(_ rejection: APIKeyRejection, _ context: StoreRequestContext) async throws {
    guard let act, case .scope(_, let caller) = rejection else { return }
    let object = context.parameters.get("order_id") ?? context.parameters.get("subject")
    let attempt = AuditedAct(act.rawValue, of: object, by: caller.key, via: .key, arguments: ["app": caller.app])
    try await attempt.perform(with: dependencies) { () async throws -> Void in throw rejection }
  }

  private func accepted(_ token: APIKeyToken) async throws -> APIKeyCaller {
    let caller = try await keys.caller(token)
    guard caller.scopes.contains(scope) else { throw APIKeyRejection.scope(scope, of: caller) }
    return caller
  }
}
