import HTTPTypes
import Hummingbird
import OnsideAPI
import StoreWeb

/// The name that a merchant's server gives an act, the same at every repetition.
struct IdempotencyKey: Sendable, Hashable {
  /// Maximum number of characters.
  static let longest = 200

  /// 1 to 200 visible characters of ASCII.
  let text: String

  /// Reads the value of the header; nil for another form.
  init?(_ text: String) {
    guard 1...Self.longest ~= text.utf8.count, text.utf8.allSatisfy({ 0x21...0x7e ~= $0 }) else { return nil }
    self.text = text
  }
}

extension Request {
  /// The idempotency key of the request; throws `idempotency_key_missing` without one.
  func idempotencyKey() throws(Problem) -> IdempotencyKey {
    guard let key = headers[.idempotencyKey].flatMap({ IdempotencyKey($0) }) else {
      throw Problem(
        .badRequest, code: .idempotencyKeyMissing,
        detail: """
          Expected the header Idempotency-Key with 1 to \(IdempotencyKey.longest) visible ASCII characters, the same \
          at every repetition.
          """)
    }
    return key
  }
}
