import Crypto
import Foundation
import OnsideAPI

extension String {
  /// SHA-256 of the text in base64url: the stored form of a secret that is also a lookup key.
  package var sha256Base64URL: String { Base64URL.encode(Array(SHA256.hash(data: Data(utf8)))) }
}
