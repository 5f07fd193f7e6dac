import Crypto
package import Foundation
package import OnsideAPI

/// A login as it is kept on the device.
package struct Session: Hashable, Sendable, Codable {
  /// The store that it belongs to; it is never shown to another one.
  package var store: URL
  /// The app that it belongs to.
  package var app: String
  /// Who is signed in.
  package var signedIn: SignedIn
  /// When the access token expires by this device's clock.
  package var accessTokenExpiry: Date
  /// What proves it to the store.
  package var tokens: Tokens
  /// Tells it from every other one, and nothing else: a hash of the refresh token, which has 256 random bits.
  package let fingerprint: String

  /// The tokens, or what ``TokenSeal`` has made of them.
  package enum Tokens: Hashable, Sendable {
    case open(TokenPair)
    case sealed(Data)
  }

  package init(_ message: TokenMessage, store: URL, app: String, now: Date) {
    self.store = store
    self.app = app
    let account = message.subject.flatMap { AccountID(subject: $0) } ?? message.accountID.pairwise(in: app)
    signedIn = SignedIn(accountID: account, country: message.country)
    accessTokenExpiry = now.addingTimeInterval(TimeInterval(message.expiresIn))
    let pair = TokenPair(
      accessToken: AccessToken(message.accessToken), refreshToken: RefreshToken(message.refreshToken))
    tokens = .open(pair)
    fingerprint = pair.fingerprint
  }

  private enum CodingKeys: CodingKey { case store, app, signedIn, accessTokenExpiry, sealedTokens, fingerprint }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    store = try values.decode(URL.self, forKey: .store)
    app = try values.decode(String.self, forKey: .app)
    signedIn = try values.decode(SignedIn.self, forKey: .signedIn)
    signedIn.accountID = signedIn.accountID.pairwise(in: app)
    accessTokenExpiry = try values.decode(Date.self, forKey: .accessTokenExpiry)
    if let sealed = try values.decodeIfPresent(Data.self, forKey: .sealedTokens) {
      tokens = .sealed(sealed)
      fingerprint = try values.decode(String.self, forKey: .fingerprint)
    } else {
      let pair = try TokenPair(from: decoder)
      tokens = .open(pair)
      fingerprint = pair.fingerprint
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(store, forKey: .store)
    try values.encode(app, forKey: .app)
    try values.encode(signedIn, forKey: .signedIn)
    try values.encode(accessTokenExpiry, forKey: .accessTokenExpiry)
    switch tokens {
    case .open(let pair): try pair.encode(to: encoder)
    case .sealed(let sealed):
      try values.encode(sealed, forKey: .sealedTokens)
      try values.encode(fingerprint, forKey: .fingerprint)
    }
  }
}

/// An access token and what gets the next one.
package struct TokenPair: Hashable, Sendable, Codable {
  package var accessToken: AccessToken
  package var refreshToken: RefreshToken

  fileprivate var fingerprint: String { Base64URL.encode(SHA256.hash(data: Data(refreshToken.revealed.utf8))) }
}
