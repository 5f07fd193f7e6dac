/// Why a login failed. Nothing was signed, unless the store refused the signed challenge.
public struct WebLoginError: Error, Sendable, Hashable, CustomStringConvertible {
  /// Which of them it is.
  public struct Kind: Sendable, Hashable {
    /// A name for logs and programs.
    public let name: String
  }

  /// Which of them it is.
  public let kind: Kind
  /// What was expected, what came, and what to do.
  public let description: String

  init(_ kind: Kind, description: String) {
    self.kind = kind
    self.description = description
  }
}

extension WebLoginError.Kind {
  /// The address is neither `https` nor on this machine.
  public static let address = Self(name: "address")
  /// The server did not answer.
  public static let unreachable = Self(name: "unreachable")
  /// The domain does not log wallets in.
  public static let notOffered = Self(name: "notOffered")
  /// The domain is on another network than the wallet.
  public static let network = Self(name: "network")
  /// The challenge is for another domain.
  public static let domain = Self(name: "domain")
  /// The challenge is not good now, by this machine's clock.
  public static let expired = Self(name: "expired")
  /// The challenge breaks another of SEP-10's rules.
  public static let challenge = Self(name: "challenge")
  /// The store refused to give a challenge, or did not take the signed one.
  public static let refused = Self(name: "refused")
  /// The answer of the store is malformed.
  public static let answer = Self(name: "answer")
}
