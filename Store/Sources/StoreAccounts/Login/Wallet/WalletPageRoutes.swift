import HTTPTypes
import Hummingbird
import OnsideAPI
import Stellar
import StoreBase
import StoreWeb

extension Route {
  static let walletPage = Route(.get, "/login/{attempt}/wallet", by: .browser)
  static let walletAnswer = Route(.post, "/login/{attempt}/wallet", by: .browser)
}

/// The pages of a wallet login: they ask for the account, show its challenge, and take the signed challenge back. A
/// program that asks for JSON gets the challenge and the fields of the form.
package struct WalletPageRoutes: RouteGroup {
  package let responder: PageResponder
  package let login: LoginRoutes
  package let wallet: WalletLogin?

  package init(responder: PageResponder, login: LoginRoutes, wallet: WalletLogin?) {
    self.responder = responder
    self.login = login
    self.wallet = wallet
  }

  func addRoutes(to routes: StoreRoutes) {
    responder.on(.walletPage, in: routes) { visit, request, context in
      let (attempt, wallet, visit) = try await find(visit, context: context)
      guard let typed = request.queryFields["account"] else { return addressPage(attempt, for: visit) }
      let account: MuxedAccount
      do {
        account = try MuxedAccount(typed.filter { !$0.isWhitespace }.prefix(128))
      } catch {
        return addressPage(attempt, for: visit, value: typed, error: visit.texts[.walletAddressWrong])
      }
      let challenge = try issue(account, wallet: wallet, attempt: attempt)
      guard request.headers[.accept]?.hasPrefix("application/json") == true else {
        return challengePage(challenge, attempt: attempt, visit: visit)
      }
      return try json(challenge, wallet: wallet, visit: visit)
    }
    responder.on(.walletAnswer, in: routes) { visit, request, context in
      let form = try await responder.form(request, context: context, for: visit)
      let (attempt, wallet, visit) = try await find(visit, context: context)
      do {
        let challenge = try await wallet.take(form["signed"] ?? "", for: .login(attempt.id))
        return try await take(challenge, wallet: wallet, attempt: attempt, visit: visit)
      } catch let refusal as WalletLogin.Refusal {
        return refused(refusal, form: form, wallet: wallet, attempt: attempt, visit: visit)
      }
    }
  }

  private func find(
    _ visit: PageVisit, context: StoreRequestContext
  ) async throws -> (LoginAttempt, WalletLogin, PageVisit) {
    let attempt = try await login.attempt(context.parameters.get("attempt") ?? "", for: visit)
    guard let wallet, login.offered(attempt).contains(where: { $0 is WalletLoginMethod }) else {
      throw PageProblem.notFound
    }
    return (attempt, wallet, visit.dressed(as: attempt))
  }

  private func issue(_ account: MuxedAccount, wallet: WalletLogin, attempt: LoginAttempt) throws -> WebChallenge {
    do throws(WalletLogin.Refusal) {
      return try wallet.challenge(for: account, .login(attempt.id))
    } catch {
      throw PageProblem.form
    }
  }

  private func take(
    _ challenge: WebChallenge, wallet: WalletLogin, attempt: LoginAttempt, visit: PageVisit
  ) async throws -> Response {
    guard let identity = challenge.identity(on: wallet.network) else { throw PageProblem.broken }
    let proved = ProvedIdentity(identity: identity, label: challenge.masked, provedAt: responder.clock.now())
    return try await login.take(proved, attempt: attempt, visit: visit)
  }

  /// Shows the same challenge again if it can still be signed, else asks for the account.
  private func refused(
    _ refusal: WalletLogin.Refusal, form: FormFields, wallet: WalletLogin, attempt: LoginAttempt, visit: PageVisit
  ) -> Response {
    let isOver: Bool =
      switch refusal {
      case .rule(let error): error.rule == .expired
      case .otherPurpose, .used: true
      }
    guard !isOver, let open = form["challenge"].flatMap({ wallet.isOpen($0, for: .login(attempt.id)) }) else {
      return addressPage(attempt, for: visit, error: visit.texts[isOver ? .walletStale : .walletWrong])
    }
    return challengePage(open, attempt: attempt, visit: visit, error: visit.texts[.walletWrong])
  }

  private func addressPage(
    _ attempt: LoginAttempt, for visit: PageVisit, value: String = "", error: String? = nil
  ) -> Response {
    let page = WalletAddressPage(
      heading: login.heading(attempt, in: visit.texts), value: value, error: error,
      action: login.path(attempt, step: "/wallet"),
      otherAddress: login.path(attempt) + "?number=other", cancelAction: login.path(attempt, step: "/cancel"))
    return responder.respond(
      page, to: visit, status: error == nil ? .ok : .unprocessableContent, targets: login.targets(attempt))
  }

  private func challengePage(
    _ challenge: WebChallenge, attempt: LoginAttempt, visit: PageVisit, error: String? = nil
  ) -> Response {
    let texts = visit.texts
    let page = WalletChallengePage(
      heading: login.heading(attempt, in: texts), lead: texts(.walletSignLead, ["address": challenge.masked.isolated]),
      challenge: challenge.envelope.base64, error: error, action: login.path(attempt, step: "/wallet"),
      otherAddress: login.path(attempt, step: "/wallet"), cancelAction: login.path(attempt, step: "/cancel"))
    return responder.respond(
      page, to: visit, status: error == nil ? .ok : .unprocessableContent, targets: login.targets(attempt))
  }

  private func json(_ challenge: WebChallenge, wallet: WalletLogin, visit: PageVisit) throws -> Response {
    var response = try Response.json(
      WalletChallengeMessage(
        transaction: challenge.envelope.base64, networkPassphrase: wallet.network.passphrase, csrf: visit.look.csrf))
    response.headers[.cacheControl] = "no-store"
    return response
  }
}
