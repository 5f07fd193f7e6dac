public import Crypto
public import Foundation
import OnsideAPI

/// ID tokens as a test needs them, good or bad.
public enum TestToken {
  /// A token of a header and claims, signed with ES256 whatever the header says.
  public static func make(
    _ header: [String: any Sendable], claims: [String: any Sendable], key: P256.Signing.PrivateKey
  ) -> String {
    let parts = [header, claims].map { (try? JSONSerialization.data(withJSONObject: $0)) ?? Data() }
    return make(parts[0], claims: parts[1], key: key)
  }

  /// The same of the bytes of a header and claims, which need not be JSON.
  public static func make(_ header: Data, claims: Data, key: P256.Signing.PrivateKey) -> String {
    let signed = Base64URL.encode(header) + "." + Base64URL.encode(claims)
    let signature = (try? key.signature(for: Data(signed.utf8)).rawRepresentation) ?? Data()
    return signed + "." + Base64URL.encode(signature)
  }
}
