import Crypto
import Foundation
import OnsideAPI

@testable import OnsideStore
@testable import StoreSales

/// An app's server that signs promotional offers, as docs/offers.md tells merchants.
struct TestOfferSigner: Sendable {
  var kid = "k1"
  var key = P256.Signing.PrivateKey()

  /// The public key in PEM, as the operator adds it.
  var publicKey: String { key.publicKey.pemRepresentation }

  func sign(_ claims: OfferSignature.Claims, algorithm: String = "ES256") throws -> String {
    let header = Base64URL.encode(Data(#"{"alg":"\#(algorithm)","kid":"\#(kid)"}"#.utf8))
    let text = header + "." + Base64URL.encode(try JSONEncoder().encode(claims))
    return text + "." + Base64URL.encode(try key.signature(for: Data(text.utf8)).rawRepresentation)
  }
}
