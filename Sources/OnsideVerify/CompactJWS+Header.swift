import Foundation
import OnsideAPI

extension CompactJWS {
  /// The header's members that a verifier looks at.
  struct Header: Decodable {
    let alg: String
    let kid: String
    let typ: String?
    let isCritical: Bool

    private enum CodingKeys: String, CodingKey { case alg, kid, typ, crit }

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      alg = try members.decode(String.self, forKey: .alg)
      // Without a key nothing is verified; the algorithm is complained about first.
      kid = try members.decodeIfPresent(String.self, forKey: .kid) ?? ""
      typ = try members.decodeIfPresent(String.self, forKey: .typ)
      isCritical = members.contains(.crit)
    }

    init(_ text: ArraySlice<UInt8>) throws(VerificationError) {
      guard text.count <= CompactJWS.maximumHeaderSize, let json = Base64URL.decode(utf8: text),
        let header = try? JSONDecoder().decode(Self.self, from: Data(json))
      else {
        throw .malformed("a header of at most \(CompactJWS.maximumHeaderSize) bytes: base64url of a JSON object")
      }
      self = header
    }

    /// Refuses what the caller did not ask for (RFC 8725, sections 3.1 and 3.11).
    func check(type: String?) throws(VerificationError) {
      guard alg == "ES256" else {
        throw VerificationError(.unsupportedAlgorithm, "Expected the algorithm ES256, got \(alg.quoted).")
      }
      guard !isCritical else {
        throw VerificationError(
          .unsupportedExtension, "Expected no extension in the header, got “crit”. A newer OnsideVerify may know it.")
      }
      guard typ == type else {
        let (expected, got) = (type.map(\.quoted) ?? "no typ", typ.map(\.quoted) ?? "none")
        throw VerificationError(.wrongType, "Expected \(expected) in the header, got \(got): another kind of document.")
      }
    }
  }
}
