import Crypto
import Foundation

/// The secret that makes an intercepted authorization code useless, RFC 7636.
package struct CodeVerifier: Secret {
  package let revealed: String
  package init(_ revealed: String) { self.revealed = revealed }

  /// A verifier of 32 random bytes, as section 4.1 recommends.
  package init(randomBytes: (Int) -> [UInt8]) {
    self.init(Base64URL.encode(randomBytes(32)))
  }

  /// The `S256` challenge, section 4.2.
  package var challenge: String {
    Base64URL.encode(SHA256.hash(data: Data(revealed.utf8)))
  }
}

/// Base64 with the URL-safe alphabet and without padding, RFC 4648 section 5.
package enum Base64URL {
  package static func encode(_ bytes: some Sequence<UInt8>) -> String {
    Data(bytes).base64EncodedString()
      .replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
  }
}
