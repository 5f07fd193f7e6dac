/// A text that must not be seen: it prints, reflects and interpolates as redacted.
package protocol Secret: Hashable, Sendable, Codable, CustomStringConvertible, CustomDebugStringConvertible,
  CustomReflectable
{
  /// The text itself.
  var revealed: String { get }
  init(_ revealed: String)
}

extension Secret {
  package var description: String { "<redacted>" }
  package var debugDescription: String { "<redacted>" }
  package var customMirror: Mirror { Mirror(self, children: []) }

  package init(from decoder: any Decoder) throws {
    self.init(try String(from: decoder))
  }

  package func encode(to encoder: any Encoder) throws {
    try revealed.encode(to: encoder)
  }
}

/// The proof of a call for an account, RFC 6750.
package struct AccessToken: Secret {
  package let revealed: String
  package init(_ revealed: String) { self.revealed = revealed }
}

/// What gets the next access token, RFC 6749 section 1.5.
package struct RefreshToken: Secret {
  package let revealed: String
  package init(_ revealed: String) { self.revealed = revealed }
}

/// What a login brings back to be exchanged, RFC 6749 section 1.3.1.
package struct AuthorizationCode: Secret {
  package let revealed: String
  package init(_ revealed: String) { self.revealed = revealed }
}
