import Foundation

extension Data {
  /// The bytes of unpadded base64url text (RFC 4648, section 5).
  init?(base64URL text: Substring) {
    let text = text.replacing("-", with: "+").replacing("_", with: "/")
    self.init(base64Encoded: text + String(repeating: "=", count: (4 - text.utf8.count % 4) % 4))
  }
}
