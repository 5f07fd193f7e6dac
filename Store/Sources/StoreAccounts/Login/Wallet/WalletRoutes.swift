import HTTPTypes
import Hummingbird
import OnsideAPI
import Stellar
import StoreBase
package import StoreWeb

/// The SEP-10 routes for programs and for pages of other sites: `stellar.toml`, challenges, tokens. No answer depends
/// on a cookie. All routes answer 404 when the configuration does not offer wallets.
package struct WalletRoutes: RouteGroup {
  let wallet: WalletLogin?
  let proxies: Proxies
  /// The rate limit of challenges, which cost a signature each.
  private let challenges = RateLimiter(RateLimit(perSecond: 5, burst: 100))

  package init(wallet: WalletLogin?, proxies: Proxies) {
    self.wallet = wallet
    self.proxies = proxies
  }

  package func addRoutes(to routes: StoreRoutes) {
    routes.onShared(.stellarInformation) { _, _ in
      var response = Response.bytes(try offered().information.text.utf8, contentType: "text/plain; charset=utf-8")
      response.headers[.cacheControl] = "public, max-age=300"
      return response
    }
    routes.onShared(.walletChallenge) { request, context in
      try await answer { wallet in
        let client = request.clientAddress(context, proxies: proxies)
        try challenges.require(NetworkPrefix.of(client), uptime: wallet.clock.uptime())
        let challenge = try Self.challenge(request.queryFields, wallet: wallet)
        return try .json(
          WalletChallengeMessage(
            transaction: challenge.envelope.base64, networkPassphrase: wallet.network.passphrase))
      }
    }
    routes.onShared(.walletToken) { request, context in
      try await answer { wallet in
        let challenge = try await wallet.take(try await Self.transaction(request, context: context), for: .token)
        let token = try WalletToken.make(
          for: challenge, issuer: wallet.address.issuer, now: wallet.clock.unmovedNow(), signedBy: wallet.pair)
        return try .json(WalletTokenMessage(token: token, hasAccount: try await wallet.hasAccount(challenge)))
      }
    }
  }

  private func offered() throws -> WalletLogin {
    guard let wallet else { throw Problem.notFound }
    return wallet
  }

  private static func challenge(_ query: FormFields, wallet: WalletLogin) throws -> WebChallenge {
    guard !query.hasRepetition else { throw Refusal("A parameter is given twice.") }
    guard query["home_domain"] ?? wallet.domain == wallet.domain else {
      throw Refusal("Expected the home_domain \(wallet.domain).")
    }
    guard query["client_domain"] == nil else { throw Refusal("client_domain is not asked for here. Leave it out.") }
    guard let account = query.single("account").flatMap({ try? MuxedAccount($0) }) else {
      throw Refusal("Expected the parameter account, an address that begins with G or M.")
    }
    let memo = query.single("memo").map { UInt64($0) }
    if case .some(.none) = memo { throw Refusal("Expected a whole number as memo.") }
    return try wallet.challenge(for: account, memo: memo ?? nil, .token)
  }

  /// The signed challenge, as JSON or as a form.
  private static func transaction(_ request: Request, context: StoreRequestContext) async throws -> String {
    if request.headers[.contentType]?.lowercased().hasPrefix("application/x-www-form-urlencoded") == true {
      guard let text = try await FormFields(request, context: context).single("transaction") else {
        throw Refusal("Expected the field transaction once.")
      }
      return text
    }
    return try await request.message(WalletAnswerMessage.self, context).transaction
  }

  private struct Refusal: Error {
    let text: String
    init(_ text: String) { self.text = text }
  }

  private func answer(_ body: (WalletLogin) async throws -> Response) async throws -> Response {
    let wallet = try offered()
    var response: Response
    do {
      response = try await body(wallet)
    } catch let refusal as Refusal {
      response = try .json(WalletErrorMessage(error: refusal.text), status: .badRequest)
    } catch let refusal as WalletLogin.Refusal {
      response = try .json(WalletErrorMessage(error: refusal.text), status: .badRequest)
    }
    response.headers[.cacheControl] = "no-store"
    return response
  }
}

extension WalletLogin.Refusal {
  /// The expected and the actual value.
  var text: String {
    switch self {
    case .rule(let error): error.description
    case .otherPurpose: "The challenge was made for another login. Ask for a new one here."
    case .used: "The challenge has served. Ask for a new one."
    }
  }
}
