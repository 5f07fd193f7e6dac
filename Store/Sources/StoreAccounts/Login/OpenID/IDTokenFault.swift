import StoreBase

/// What is wrong with an ID token (OpenID Connect Core, section 3.1.3.7).
enum IDTokenFault: String, Error, Sendable, Hashable, CaseIterable, CustomStringConvertible {
  case tooLarge = "too many bytes"
  case malformed = "not three parts of base64url"
  case notJSON = "something else than the JSON that is meant"
  case repeatedName = "a name that stands there twice"
  case algorithm = "an algorithm that is not allowed"
  case criticalHeader = "a header that must be understood and is not"
  case type = "another type"
  case unknownKey = "a key that the provider does not publish"
  case signature = "a signature that is not the key's"
  case issuer = "another issuer"
  case audience = "another audience"
  case authorizedParty = "another authorized party"
  case nonce = "another nonce"
  case expired = "its end in the past"
  case notYetValid = "its beginning in the future"
  case tooOld = "its issue too long ago"
  case authenticationTime = "an auth_time in the future or before 1970"
  case subject = "no subject of 1 to 255 bytes"

  var description: String { rawValue }
}

extension IDTokenFault: LoggedDetails {
  var loggedDetails: String { rawValue }
}
