/// Login with an account by SEP-10: the server writes a transaction that no network takes, the client checks and signs
/// it, and the signature authenticates it to the server. Both sides hold the same four facts, which the client has from
/// the server's `stellar.toml` and from what the person asked for, never from the challenge.
///
/// Stricter than the standard in one point: a challenge without `web_auth_domain` is refused, because without it one
/// server could pass another's challenge on.
public struct WebAuthentication: Sendable, Hashable {
  /// The server's account, `SIGNING_KEY`.
  public let server: AccountAddress
  /// The domain that the person logs in to, with its port if it has one; at most 59 characters of ASCII.
  public let homeDomain: String
  /// The domain of the login's address, `WEB_AUTH_ENDPOINT`, with its port if it has one; at most 64 characters of
  /// ASCII.
  public let webAuthDomain: String
  /// The network whose passphrase is signed with.
  public let network: Network

  let authName: Operation.DataName

  /// - Throws: ``WebAuthenticationError`` for domains that do not fit into a challenge.
  public init(
    server: AccountAddress, homeDomain: String, webAuthDomain: String, network: Network
  ) throws(WebAuthenticationError) {
    guard !homeDomain.isEmpty, let name = Operation.DataName("\(homeDomain) auth") else {
      throw .malformed("Expected a home domain of 1 to 59 characters of ASCII, got \"\(homeDomain)\".")
    }
    guard (1...64).contains(webAuthDomain.utf8.count), webAuthDomain.utf8.allSatisfy({ (0x21..<0x7f).contains($0) })
    else {
      throw .malformed("Expected a web_auth_domain of 1 to 64 characters of ASCII, got \"\(webAuthDomain)\".")
    }
    self.server = server
    self.homeDomain = homeDomain
    self.webAuthDomain = webAuthDomain
    self.network = network
    authName = name
  }

  /// How many random bytes a challenge has.
  public static let nonceLength = 48
  /// How long a challenge is good unless its server says otherwise: 15 minutes.
  public static let lifetime: UInt64 = 900
  /// By how many seconds a client's clock may be behind the server's.
  public static let clockTolerance: UInt64 = 60

  static let webAuthDomainName = "web_auth_domain"
  static let clientDomainName = "client_domain"
}

/// A challenge that was read and found right.
public struct WebChallenge: Sendable, Hashable {
  /// It, with its signatures.
  public let envelope: TransactionEnvelope
  /// Who shall prove that they hold the account's key.
  public let client: MuxedAccount
  /// The number of one of the account's users.
  public let memo: UInt64?
  /// What makes it unlike any other, 48 bytes.
  public let nonce: [UInt8]
  /// From when to when it is good.
  public let timeBounds: Transaction.TimeBounds
  /// The account of the wallet's own domain, if the challenge asks for its signature, too.
  public let clientDomainAccount: AccountAddress?

  /// Who is logged in by it: `G…`, `M…`, or `G…:memo`, as the token names its subject.
  public var subject: String { memo.map { "\(client):\($0)" } ?? client.text }
}

/// Why a challenge is refused. Nothing is signed then.
public struct WebAuthenticationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Which of the rules is broken; the same for the same rule.
  public let rule: Rule
  /// What was expected and what came.
  public let description: String

  /// The rules of SEP-10.
  public struct Rule: Sendable, Hashable {
    let name: String
    /// It is no transaction, or one that is no challenge.
    public static let malformed = Rule(name: "malformed")
    /// Its sequence number is not 0: it is a real transaction, which a network would take.
    public static let realTransaction = Rule(name: "realTransaction")
    /// It is not the server's, or the server has not signed it for this network.
    public static let server = Rule(name: "server")
    /// It is not good now.
    public static let expired = Rule(name: "expired")
    /// It is for another domain.
    public static let domain = Rule(name: "domain")
    /// It is for another account.
    public static let account = Rule(name: "account")
    /// A signature is missing, unknown or there twice.
    public static let signatures = Rule(name: "signatures")
  }

  init(_ rule: Rule, description: String) {
    self.rule = rule
    self.description = description
  }

  static func malformed(_ description: String) -> WebAuthenticationError {
    WebAuthenticationError(.malformed, description: description)
  }
}
