import CSodium

/// Base64 (RFC 4648, section 4) with padding, and the one text that stands for the bytes.
package enum Base64 {
  package static func encode(_ bytes: [UInt8]) -> String {
    let variant = sodium_base64_VARIANT_ORIGINAL
    var text = [CChar](repeating: 0, count: sodium_base64_encoded_len(bytes.count, variant))
    sodium_bin2base64(&text, text.count, bytes, bytes.count, variant)
    return String(decoding: text.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
  }

  /// Nil for anything that `encode` would not have written: other letters, white space, wrong padding, unused bits.
  package static func decode(_ text: some StringProtocol) -> [UInt8]? {
    let letters = text.utf8.map(CChar.init(bitPattern:))
    var bytes = [UInt8](repeating: 0, count: letters.count / 4 * 3)
    var count = 0
    let code = sodium_base642bin(
      &bytes, bytes.count, letters, letters.count, nil, &count, nil, sodium_base64_VARIANT_ORIGINAL)
    guard code == 0 else { return nil }
    bytes.removeLast(bytes.count - count)
    return encode(bytes) == text ? bytes : nil
  }
}
