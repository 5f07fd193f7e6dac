import HTTPTypes
import Hummingbird
import OnsideAPI
package import StoreBase
package import StoreWeb

/// Authenticates a merchant's server by its JWT, for the routes whose caller is ``Route/Caller/merchantToken``.
package struct MerchantTokenMiddleware: RouterMiddleware {
  private let secrets: MerchantSecretService
  private let failures: RateLimiter
  private let proxies: Proxies
  private let clock: any StoreClock

  /// - Parameter failures: counts the rejected credentials of merchants' servers.
  package init(secrets: MerchantSecretService, failures: RateLimiter, proxies: Proxies, clock: any StoreClock) {
    self.secrets = secrets
    self.failures = failures
    self.proxies = proxies
    self.clock = clock
  }

  func handle(
    _ request: Request, context: StoreRequestContext,
    next: (Request, StoreRequestContext) async throws -> Response
  ) async throws -> Response {
    var context = context
    do {
      context.appID = try await secrets.app(MerchantToken(authorization: request.headers[.authorization]))
    } catch let fault as MerchantTokenFault {
      // Without a token nothing is tried.
      if fault != .missing {
        let network = NetworkPrefix.ofCaller(request.clientAddress(context, proxies: proxies))
        try failures.require(network, uptime: clock.uptime())
      }
      throw fault
    }
    return try await next(request, context)
  }
}
