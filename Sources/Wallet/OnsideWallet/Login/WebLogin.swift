public import Foundation
import OnsideAPI
public import Stellar

#if canImport(FoundationNetworking)
  public import FoundationNetworking
#endif

/// Logs the wallet's account in to a store by SEP-10, as programs do: fetches a challenge, checks it against the
/// `stellar.toml` of the store's domain, has it signed, and exchanges it for a token.
///
///     let login = try WebLogin(store: store, network: .test)
///     let challenge = try await login.challenge(for: address)
///     let signed = try await service.withSigningKey(pin: pin) { try login.sign(challenge, with: $0) }
///     let outcome = try await login.exchange(signed, of: challenge)
public struct WebLogin: Sendable {
  /// Sends a request and returns the status and the body; throws when no answer arrives.
  public typealias Exchange = @Sendable (URLRequest) async throws -> (status: Int, body: Data)

  /// The domain that the person logs in to, with its port if it has one.
  public let domain: String
  let store: URL
  let network: Network
  let now: @Sendable () -> Date
  let exchange: Exchange

  /// - Parameters:
  ///   - store: the store's address: `https`, or `http` on this machine.
  ///   - network: the wallet's.
  ///   - now: this device's clock.
  /// - Throws: ``WebLoginError/Kind/address`` for an address that is neither `https` nor on this machine.
  public init(
    store: URL, network: Network, now: @escaping @Sendable () -> Date = { Date() }
  ) throws(WebLoginError) {
    try self.init(store: store, network: network, now: now) {
      try await BlockingExchange.answer($0, deadline: 15, limit: 65_536)
    }
  }

  /// With a given transport, which must not follow redirects.
  public init(
    store: URL, network: Network, now: @escaping @Sendable () -> Date, exchange: @escaping Exchange
  ) throws(WebLoginError) {
    guard store.isSecureWebAddress, let host = store.host() else {
      throw WebLoginError(
        .address, description: "expected the store at an https address, or on this machine; got \(store)")
    }
    self.store = store
    self.network = network
    self.now = now
    self.exchange = exchange
    domain = host.lowercased() + (store.port.map { ":\($0)" } ?? "")
  }

  /// A checked challenge, and the rules it was checked with.
  public struct Challenge: Sendable {
    /// The account that logs in.
    public let account: AccountAddress
    /// The content of the challenge.
    public let content: WebChallenge
    let rules: WebAuthentication
    let endpoint: URL
  }

  /// Fetches a challenge for an account, and checks it against every rule of SEP-10.
  /// - Throws: ``WebLoginError``.
  public func challenge(for account: AccountAddress) async throws(WebLoginError) -> Challenge {
    let (rules, endpoint) = try await facts()
    let message: Answer = try await ask(
      URLRequest(
        url: endpoint.appending(queryItems: [
          URLQueryItem(name: "account", value: account.text), URLQueryItem(name: "home_domain", value: domain),
        ])), rules: rules)
    if let other = message.networkPassphrase, other != network.passphrase {
      throw otherNetwork(Network(passphrase: other))
    }
    return try check(message.transaction, for: account, rules: rules, endpoint: endpoint)
  }

  /// A server's answer. Not all servers name the network; the check of their signature covers it.
  private struct Answer: Decodable {
    let transaction: String
    let networkPassphrase: String?

    enum CodingKeys: String, CodingKey {
      case transaction
      case networkPassphrase = "network_passphrase"
    }
  }

  /// Checks a challenge that the person has from one of the store's login pages.
  /// - Throws: ``WebLoginError``.
  public func challenge(_ text: String, for account: AccountAddress) async throws(WebLoginError) -> Challenge {
    let (rules, endpoint) = try await facts()
    return try check(text.filter { !$0.isWhitespace }, for: account, rules: rules, endpoint: endpoint)
  }

  /// Signs a challenge, if it still is good. Returns it in base64.
  /// - Throws: ``WebLoginError``.
  public func sign(_ challenge: Challenge, with pair: SigningKeyPair) throws(WebLoginError) -> String {
    let text = challenge.content.envelope.base64
    do throws(WebAuthenticationError) {
      return try challenge.rules.sign(text, for: MuxedAccount(challenge.account), with: pair, now: seconds)
    } catch {
      throw refusal(error, of: text)
    }
  }

  /// Exchanges the signed challenge for a token, which works once.
  /// - Throws: ``WebLoginError``.
  public func exchange(_ signed: String, of challenge: Challenge) async throws(WebLoginError) -> WebLoginOutcome {
    var request = URLRequest(url: challenge.endpoint)
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    request.httpBody = try? WireCoding.encoder().encode(WalletAnswerMessage(transaction: signed))
    return try WebLoginOutcome(try await ask(request, rules: challenge.rules), for: challenge.account.text)
  }

  private func check(
    _ text: String, for account: AccountAddress, rules: WebAuthentication, endpoint: URL
  ) throws(WebLoginError) -> Challenge {
    let content: WebChallenge
    do throws(WebAuthenticationError) {
      content = try rules.read(text, now: seconds)
    } catch {
      throw refusal(error, of: text)
    }
    guard content.client == MuxedAccount(account), content.memo == nil else {
      throw WebLoginError(
        .challenge,
        description: "expected a challenge for \(account), got one for \(content.subject): nothing was signed")
    }
    return Challenge(account: account, content: content, rules: rules, endpoint: endpoint)
  }

  private var seconds: UInt64 { UInt64(max(0, now().timeIntervalSince1970)) }
}
