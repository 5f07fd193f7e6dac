/// A challenge that a wallet signs (SEP-10).
public struct WalletChallengeMessage: Codable, Sendable, Hashable {
  /// The transaction in base64, signed by the store. No network takes it.
  public var transaction: String
  /// The network to sign for.
  public var networkPassphrase: String
  /// What the login page's form goes back with; only where a login page was asked.
  public var csrf: String?

  enum CodingKeys: String, CodingKey {
    case transaction
    case networkPassphrase = "network_passphrase"
    case csrf
  }

  /// Makes a message.
  public init(transaction: String, networkPassphrase: String, csrf: String? = nil) {
    self.transaction = transaction
    self.networkPassphrase = networkPassphrase
    self.csrf = csrf
  }
}

/// A challenge that a wallet has signed (SEP-10).
public struct WalletAnswerMessage: Codable, Sendable, Hashable {
  /// The transaction in base64, signed by both.
  public var transaction: String

  /// Makes a message.
  public init(transaction: String) { self.transaction = transaction }
}

/// What a signed challenge is worth (SEP-10).
public struct WalletTokenMessage: Codable, Sendable, Hashable {
  /// A JWT with `iss`, `sub`, `iat`, `exp` and `jti`, signed with the store's `SIGNING_KEY`.
  public var token: String
  /// Whether the store has an account that the wallet opens; stores of others do not say.
  public var hasAccount: Bool?

  enum CodingKeys: String, CodingKey {
    case token
    case hasAccount = "has_account"
  }

  /// Makes a message.
  public init(token: String, hasAccount: Bool? = nil) {
    self.token = token
    self.hasAccount = hasAccount
  }
}

/// Why there is no challenge or no token, in the form of SEP-10.
public struct WalletErrorMessage: Codable, Sendable, Hashable {
  /// What was expected and what came.
  public var error: String

  /// Makes a message.
  public init(error: String) { self.error = error }
}
