public import OnsideAPI
import Sodium

/// What is signed of a request to the vault.
public struct VaultRequest: Hashable, Sendable {
  /// The HTTP method.
  public var method: Route.Method
  /// The path with its parameters filled in, as in ``Route/path(_:)``, without what a proxy may put before it.
  public var path: String
  /// The body, byte for byte; empty for a GET.
  public var body: [UInt8]

  /// Makes a request.
  public init(_ method: Route.Method, _ path: String, body: [UInt8] = []) {
    self.method = method
    self.path = path
    self.body = body
  }
}

/// Who has signed a request to the vault, and when: what is left of the header `Onside-Vault-Signature` once its
/// signature was found right. Whether the key may ask for this, and whether the nonce is fresh, is for the record to
/// say.
///
/// The header is `1.KEY.TIME.NONCE.SIGNATURE`, where the bytes are base64url and the time is in milliseconds since
/// 1970. What is signed (Ed25519) are lines of text: `onside-vault-request-1`, method, path, SHA-256 of the body,
/// time, nonce.
public struct VaultSignature: Hashable, Sendable {
  /// How many bytes a nonce has.
  public static let nonceLength = 16

  /// The device's public key, 32 bytes.
  public let deviceKey: [UInt8]
  /// When it was signed, milliseconds since 1970, by the device's clock.
  public let time: Int64
  /// What makes it unlike every other request, 16 bytes.
  public let nonce: [UInt8]

  /// Checks the header of a request; nil when it is missing, malformed, or signed by another key, or when anything of
  /// method, path and body differs.
  public init?(header: String?, of request: VaultRequest) {
    guard
      let fields = header?.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        .map(Substring.init), fields.count == 5,
      fields[0] == "1", let key = WireBytes(String(fields[1])), key.bytes.count == Ed25519.publicKeyLength,
      let time = Int64(fields[2]), time >= 0, String(time) == fields[2],
      let nonce = WireBytes(String(fields[3])), nonce.bytes.count == Self.nonceLength,
      let signature = WireBytes(String(fields[4]))
    else { return nil }
    let parts = Parts(key: key.bytes, time: time, nonce: nonce.bytes)
    guard Ed25519.isValid(signature.bytes, of: parts.message(request), by: key.bytes) else { return nil }
    (deviceKey, self.time, self.nonce) = (parts.key, parts.time, parts.nonce)
  }

  /// The fields of the header but the signature.
  struct Parts {
    let key: [UInt8]
    let time: Int64
    let nonce: [UInt8]

    func message(_ request: VaultRequest) -> [UInt8] {
      let lines = [
        "onside-vault-request-1", request.method.rawValue, request.path,
        WireBytes(Hash.sha256(request.body)).description, String(time), WireBytes(nonce).description,
      ]
      return Array(lines.joined(separator: "\n").utf8)
    }
  }

  static func text(_ parts: Parts, signature: [UInt8]) -> String {
    ["1", WireBytes(parts.key).description, String(parts.time), WireBytes(parts.nonce).description]
      .joined(separator: ".") + "." + WireBytes(signature).description
  }
}
