import StoreBase

/// An app's request to exchange an authorization code.
struct CodeRedemption: Sendable {
  var code: String
  var clientID: String
  var redirectURI: String
  var verifier: String

  /// True when the challenge was made of the verifier (PKCE; RFC 7636, section 4.6).
  func proves(_ challenge: String) -> Bool {
    let isVerifier = (43...128).contains(verifier.utf8.count) && verifier.percentEncoded == verifier
    return isVerifier && verifier.sha256Base64URL == challenge
  }
}
