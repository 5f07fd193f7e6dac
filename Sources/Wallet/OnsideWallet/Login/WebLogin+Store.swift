import Foundation
import OnsideAPI
import Stellar

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// What the store is asked.
extension WebLogin {
  /// What a challenge is held against, from the domain's `stellar.toml`, and where challenges come from.
  func facts() async throws(WebLoginError) -> (WebAuthentication, URL) {
    // At the domain's root, wherever the store's address points (SEP-1): who has a path there is not the domain.
    guard let file = URL(string: Route.stellarInformation.path, relativeTo: store)?.absoluteURL else {
      throw WebLoginError(
        .address, description: "expected a store's address, got \(Legible.plain(store.absoluteString))")
    }
    let (status, body) = try await send(URLRequest(url: file))
    guard status == 200 else {
      throw WebLoginError(
        .notOffered, description: "expected \(domain) to log wallets in, but it has no stellar.toml (status \(status))")
    }
    let information: StellarInformation
    let rules: WebAuthentication
    do throws(WebAuthenticationError) {
      information = try StellarInformation(String(decoding: body, as: UTF8.self))
      rules = try WebAuthentication(
        homeDomain: domain, information: information, network: information.network ?? network)
    } catch {
      throw WebLoginError(.answer, description: "\(domain)'s stellar.toml: \(Legible.plain(error.description))")
    }
    if let other = information.network, other != network { throw otherNetwork(other) }
    guard let endpoint = URL(string: information.webAuthEndpoint), endpoint.isSecureWebAddress else {
      throw WebLoginError(
        .answer, description: "expected an https address in \(domain)'s stellar.toml: ask who runs the store")
    }
    return (rules, endpoint)
  }

  func ask<Message: Decodable>(
    _ request: URLRequest, rules: WebAuthentication
  ) async throws(WebLoginError) -> Message {
    let (status, body) = try await send(request)
    guard status == 200 else {
      let message = try? WireCoding.decoder().decode(WalletErrorMessage.self, from: body)
      throw refusal(status, text: message?.error, rules: rules)
    }
    guard let message = try? WireCoding.decoder().decode(Message.self, from: body) else {
      throw WebLoginError(.answer, description: "expected a message of SEP-10 from \(domain), got something else")
    }
    return message
  }

  private func send(_ request: URLRequest) async throws(WebLoginError) -> (status: Int, body: Data) {
    do {
      return try await exchange(request)
    } catch {
      let host = request.url?.host() ?? domain
      throw WebLoginError(
        .unreachable,
        description: "expected an answer of \(host), got none (\(error)): look at the address and the network")
    }
  }
}

/// Refusals, in words that say what to do.
extension WebLogin {
  func otherNetwork(_ other: Network) -> WebLoginError {
    WebLoginError(
      .network,
      description: "expected a store on \(network), the wallet's; \(domain) is on \(other): nothing was signed")
  }

  /// What the store said, or what it is about when its logins are another domain's.
  private func refusal(_ status: Int, text: String?, rules: WebAuthentication) -> WebLoginError {
    if status == 400, rules.webAuthDomain != domain {
      return WebLoginError(
        .domain,
        description:
          "\(domain) has its logins at \(rules.webAuthDomain): give that address, if the store is the one you mean"
      )
    }
    let words = text.map { Legible.quoted(Array($0.prefix(500).utf8)) } ?? "status \(status)"
    return status == 429
      ? WebLoginError(.refused, description: "\(domain) has too many logins: try again in a minute")
      : WebLoginError(.refused, description: "expected \(domain) to take the login, it says \(words)")
  }

  func refusal(_ error: WebAuthenticationError, of text: String) -> WebLoginError {
    let words = Legible.plain(error.description)
    return switch error.rule {
    case .expired: WebLoginError(.expired, description: expiry(of: text) ?? words)
    case .domain:
      WebLoginError(.domain, description: "the challenge is not for \(domain), and nothing was signed. \(words)")
    default:
      WebLoginError(.challenge, description: "the challenge breaks a rule of SEP-10, and nothing was signed. \(words)")
    }
  }

  private func expiry(of text: String) -> String? {
    // The year 9999 ends then.
    guard let bounds = (try? TransactionEnvelope(base64: text))?.transaction.timeBounds,
      bounds.maximum < 253_402_300_800
    else { return nil }
    let times = [bounds.minimum, bounds.maximum].map { Date(timeIntervalSince1970: TimeInterval($0)) } + [now()]
    let texts = times.map { $0.formatted(.iso8601) }
    return
      "the challenge is good from \(texts[0]) to \(texts[1]), this machine's clock says \(texts[2]), and nothing was "
      + "signed: begin again, or set the clock"
  }
}
