package import Crypto
import Foundation

/// Computes one-time codes: the six digits that prove a number or address. A code is a keyed hash of its id, computed
/// when it is needed: no code is stored. An attacker with a copy of the whole database has the key, too; codes expire
/// after ten minutes.
package struct OneTimeCodeGenerator: Sendable {
  static let digits = 6

  package let key: SymmetricKey

  package init(key: SymmetricKey) {
    self.key = key
  }

  /// The code that belongs to an id.
  func code(for id: String) -> String {
    let digest = Array(HMAC<SHA256>.authenticationCode(for: Data("code:\(id)".utf8), using: key))
    let number = digest.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) } % 1_000_000
    let text = String(number)
    return String(repeating: "0", count: Self.digits - text.count) + text
  }

  /// Whether the typed digits are the code of an id; compared in constant time.
  func isCode(_ typed: String, for id: String) -> Bool {
    let known = HMAC<SHA256>.authenticationCode(for: Data(code(for: id).utf8), using: key)
    return HMAC<SHA256>.isValidAuthenticationCode(known, authenticating: Data(typed.utf8), using: key)
  }

  /// The digits of typed or pasted text; nil unless there are six and nothing else but spaces and dashes.
  static func digits(in text: String) -> String? {
    var digits = ""
    for character in text {
      if let digit = character.decimalDigit {
        digits.append(digit)
      } else if !character.isWhitespace, character != "-" {
        return nil
      }
    }
    return digits.count == Self.digits ? digits : nil
  }
}
