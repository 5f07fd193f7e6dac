import Crypto
import HTTPTypes
import OnsideAPI
import StoreBase

/// How the sandbox provider signs its events.
public enum SandboxSignature {
  /// The header field of the signature: HMAC-SHA256 over the raw body, in lower-case hexadecimal digits.
  public static let header = "Onside-Sandbox-Signature"
  /// The purpose of the key.
  package static let keyPurpose = "sandbox-provider"

  /// The signature of a body.
  static func of(_ body: [UInt8], key: SymmetricKey) -> String {
    Hexadecimal.encode(HMAC<SHA256>.authenticationCode(for: body, using: key))
  }
}

extension HTTPField.Name {
  static let sandboxSignature = Self(SandboxSignature.header)!
}
