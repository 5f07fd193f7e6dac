import Crypto
import Foundation
import OnsideAPI

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
