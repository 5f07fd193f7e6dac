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

  /// A secret's text, without a zero at the end, as secret as the bytes are.
  package static func encode(_ bytes: SecretBytes) -> SecretBytes {
    let variant = sodium_base64_VARIANT_ORIGINAL
    let length = sodium_base64_encoded_len(bytes.count, variant)
    let text = SecretBytes(
      count: length,
      filledBy: { target in
        target.withMemoryRebound(to: CChar.self, capacity: length) { letters in
          bytes.withPointer { _ = sodium_bin2base64(letters, length, $0, bytes.count, variant) }
        }
      })
    return text.slice(0..<length - 1)
  }

  /// The secret that a text stands for; nil for anything else.
  package static func decode(_ text: UnsafeBufferPointer<UInt8>) -> SecretBytes? {
    var (count, code) = (0, Int32(-1))
    let room = SecretBytes(
      count: text.count / 4 * 3,
      filledBy: { target in
        text.withMemoryRebound(to: CChar.self) { letters in
          code = sodium_base642bin(
            target, text.count / 4 * 3, letters.baseAddress, text.count, nil, &count, nil,
            sodium_base64_VARIANT_ORIGINAL)
        }
      })
    return code == 0 ? room.slice(0..<count) : nil
  }
}
