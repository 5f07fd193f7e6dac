/// What a domain says about itself in `/.well-known/stellar.toml` (SEP-1), as far as a login needs it.
public struct StellarInformation: Sendable, Hashable {
  /// The account whose signature a challenge has, `SIGNING_KEY`.
  public let signingKey: AccountAddress
  /// Where challenges come from and go to, `WEB_AUTH_ENDPOINT`.
  public let webAuthEndpoint: String
  /// Which network is signed for, `NETWORK_PASSPHRASE`.
  public let network: Network

  /// What a server says of itself.
  public init(signingKey: AccountAddress, webAuthEndpoint: String, network: Network) {
    self.signingKey = signingKey
    self.webAuthEndpoint = webAuthEndpoint
    self.network = network
  }

  /// Reads the file's text: lines `NAME="value"` before the first table. Other lines are left alone.
  /// - Throws: ``WebAuthenticationError`` if one of the three is missing, is there twice, or is no such thing.
  public init(_ text: String) throws(WebAuthenticationError) {
    let lines = text.split { $0.isNewline }.prefix { !$0.hasPrefix("[") }
    func value(_ name: String) throws(WebAuthenticationError) -> String {
      let values = lines.filter { $0.prefix { $0 != "=" && $0 != " " } == name }.compactMap(Self.quoted)
      guard values.count == 1 else {
        throw .malformed("Expected \(name) once in stellar.toml, got it \(values.count) times.")
      }
      return values[0]
    }
    let key = try value("SIGNING_KEY")
    do throws(StrKeyError) {
      signingKey = try AccountAddress(key)
    } catch {
      throw .malformed("Expected an account as SIGNING_KEY. \(error)")
    }
    webAuthEndpoint = try value("WEB_AUTH_ENDPOINT")
    network = Network(passphrase: try value("NETWORK_PASSPHRASE"))
  }

  /// The text in quotes after the equals sign; nil if there is an escape in it or something behind it.
  private static func quoted(_ line: Substring) -> String? {
    guard let sign = line.firstIndex(of: "=") else { return nil }
    let value = line[line.index(after: sign)...].drop { $0 == " " }
    guard value.first == "\"", let end = value.dropFirst().firstIndex(of: "\"") else { return nil }
    let inner = value[value.index(after: value.startIndex)..<end]
    let rest = value[value.index(after: end)...].drop { $0 == " " || $0 == "\t" }
    return inner.contains("\\") || !(rest.isEmpty || rest.hasPrefix("#")) ? nil : String(inner)
  }

  /// The file's text.
  public var text: String {
    """
    VERSION="2.7.0"
    NETWORK_PASSPHRASE="\(network.passphrase)"
    SIGNING_KEY="\(signingKey)"
    WEB_AUTH_ENDPOINT="\(webAuthEndpoint)"

    """
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
    guard information.network == network else {
      throw WebAuthenticationError(
        .server,
        "Expected the network \"\(network.passphrase)\", \(homeDomain) uses \"\(information.network.passphrase)\".")
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
