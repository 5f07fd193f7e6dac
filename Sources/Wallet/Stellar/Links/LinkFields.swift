import Sodium

extension SigningLink {
  /// The parameters of a link, each once, taken one after the other.
  struct Fields {
    private var values: [String: String] = [:]
    private var last: String?

    init(_ query: Substring) throws(SigningLinkError) {
      for field in query.split(separator: "&", omittingEmptySubsequences: false) {
        let parts = field.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        guard parts.count == 2, let value = PercentCoding.decode(parts[1]), !value.isEmpty else {
          throw SigningLinkError("Expected a name, = and a percent-encoded value, in each parameter.")
        }
        guard values.updateValue(value, forKey: name) == nil else {
          throw SigningLinkError("The parameter \"\(name)\" is there twice.")
        }
        last = name
      }
    }

    mutating func take(_ name: String) -> String? { values.removeValue(forKey: name) }

    /// The signature covers all text before it.
    mutating func takeSignature() throws(SigningLinkError) -> [UInt8]? {
      guard let text = take("signature") else { return nil }
      guard last == "signature", let signature = Base64.decode(text), signature.count == Ed25519.signatureLength else {
        throw SigningLinkError("Expected a signature of 64 bytes in base64 as the last parameter.")
      }
      return signature
    }

    /// A parameter that was not taken; nil when all were.
    var rest: String? { values.keys.min() }
  }
}
