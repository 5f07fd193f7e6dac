import Crypto
import Foundation
import OnsideAPI

/// A compact JWS (RFC 7515, section 7.1) of the kind that was asked for, taken apart. Its signature is not verified.
struct CompactJWS {
  let header: Header
  /// Header and payload as they were signed, with the dot between them.
  let signedBytes: ArraySlice<UInt8>
  let payload: Data
  let signature: P256.Signing.ECDSASignature

  /// The largest header that is read, in bytes of base64url.
  static let maximumHeaderSize = 4096

  init(_ text: String, type: String?, maximumSize: Int) throws(VerificationError) {
    guard text.utf8.count <= maximumSize else {
      throw VerificationError(
        .tooLarge, "Expected a signed document of at most \(maximumSize) bytes, got \(text.utf8.count).")
    }
    let bytes = Array(text.utf8)
    let parts = bytes.split(separator: UInt8(ascii: "."), maxSplits: 3, omittingEmptySubsequences: false)
    guard parts.count == 3 else {
      throw .malformed("a compact JWS of three parts with dots between them, got \(parts.count) parts")
    }
    header = try Header(parts[0])
    try header.check(type: type)
    guard let payload = Base64URL.decode(utf8: parts[1]) else { throw .malformed("a payload in base64url") }
    guard let signature = Base64URL.decode(utf8: parts[2]), signature.count == 64,
      let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature)
    else { throw .malformed("a signature of 64 bytes in base64url") }
    self.payload = Data(payload)
    self.signature = signature
    signedBytes = bytes[..<parts[1].endIndex]
  }
}
