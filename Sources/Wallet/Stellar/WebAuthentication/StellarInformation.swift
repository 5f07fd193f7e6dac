/// What a domain says about itself in `/.well-known/stellar.toml` (SEP-1), as far as a login needs it.
public struct StellarInformation: Sendable, Hashable {
  /// The account whose signature a challenge has, `SIGNING_KEY`.
  public let signingKey: AccountAddress
  /// Where challenges come from and go to, `WEB_AUTH_ENDPOINT`.
  public let webAuthEndpoint: String
  /// Which network is signed for, `NETWORK_PASSPHRASE`; nil where the domain does not say.
  public let network: Network?

  /// What a server says of itself.
  public init(signingKey: AccountAddress, webAuthEndpoint: String, network: Network?) {
    self.signingKey = signingKey
    self.webAuthEndpoint = webAuthEndpoint
    self.network = network
  }

  /// Reads the file's text, which is any TOML: the three names before the first table are looked at.
  /// - Throws: ``WebAuthenticationError`` if the text is no TOML, if an account or an endpoint is missing, or if one of
  ///   the three is no such thing.
  public init(_ text: String) throws(WebAuthenticationError) {
    let values: [String: TOMLReader.Value]
    do throws(TOMLError) {
      values = try TOMLReader.rootTable(of: text)
    } catch {
      throw .malformed("stellar.toml, line \(error.line): expected \(error.expected).")
    }
    func string(_ name: String) throws(WebAuthenticationError) -> String? {
      switch values[name] {
      case nil: return nil
      case .string(let text): return text
      case .other: throw .malformed("Expected a text as \(name) in stellar.toml.")
      }
    }
    guard let key = try string("SIGNING_KEY"), let endpoint = try string("WEB_AUTH_ENDPOINT") else {
      throw .malformed("Expected SIGNING_KEY and WEB_AUTH_ENDPOINT in stellar.toml.")
    }
    do throws(StrKeyError) {
      signingKey = try AccountAddress(key)
    } catch {
      throw .malformed("Expected an account as SIGNING_KEY. \(error)")
    }
    webAuthEndpoint = endpoint
    network = try string("NETWORK_PASSPHRASE").map { Network(passphrase: $0) }
  }

  /// The file's text.
  public var text: String {
    let lines = [
      "VERSION=\"2.7.0\"", network.map { "NETWORK_PASSPHRASE=\($0.passphrase.tomlString)" },
      "SIGNING_KEY=\"\(signingKey)\"", "WEB_AUTH_ENDPOINT=\(webAuthEndpoint.tomlString)",
    ]
    return lines.compactMap { $0 }.map { $0 + "\n" }.joined()
  }
}

extension WebAuthentication {
  /// What a client holds against a challenge: the domain that the person chose, and what that domain says of itself.
  /// - Parameters:
  ///   - homeDomain: the domain that the person logs in to, with its port if it has one.
  ///   - information: its `stellar.toml`, loaded from it over https.
  ///   - network: the one that the client uses.
  /// - Throws: ``WebAuthenticationError`` if the domain uses another network, or its endpoint is no address.
  public init(
    homeDomain: String, information: StellarInformation, network: Network
  ) throws(WebAuthenticationError) {
    // Where the domain does not say it, the server's signature does: it holds for one network alone.
    if let other = information.network, other != network {
      throw WebAuthenticationError(
        .server,
        description: "Expected the network \"\(network.passphrase)\", \(homeDomain) uses \"\(other.passphrase)\".")
    }
    let address = information.webAuthEndpoint
    guard let start = ["https://", "http://"].first(where: { address.hasPrefix($0) }) else {
      throw .malformed("Expected an https address as WEB_AUTH_ENDPOINT, got \"\(address)\".")
    }
    let domain = address.dropFirst(start.count).prefix { !"/?#".contains($0) }
    try self.init(
      server: information.signingKey, homeDomain: homeDomain, webAuthDomain: String(domain), network: network)
  }
}
