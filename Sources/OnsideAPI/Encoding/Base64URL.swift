/// Base64 with the URL-safe alphabet and without padding (RFC 4648, section 5).
public enum Base64URL {
  private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
  private static let none: UInt8 = 0xff
  /// The value of each character; `none` for those outside the alphabet.
  private static let values = {
    var values = [UInt8](repeating: none, count: 256)
    for (value, character) in alphabet.enumerated() { values[Int(character)] = UInt8(value) }
    return values
  }()

  /// The text of bytes.
  public static func encode(_ bytes: some Sequence<UInt8>) -> String {
    String(decoding: utf8(of: bytes), as: UTF8.self)
  }

  /// The text of bytes, in UTF-8: a JSON Web Signature is made over these bytes.
  public static func utf8(of bytes: some Sequence<UInt8>) -> [UInt8] { characters(of: Array(bytes)) }

  /// The bytes of a text; nil when it is not base64url in its one canonical form.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? { decode(utf8: Array(text.utf8)[...]) }

  /// The bytes of a text in UTF-8; nil when it is not base64url in its one canonical form.
  public static func decode(utf8 characters: ArraySlice<UInt8>) -> [UInt8]? {
    guard characters.count % 4 != 1 else { return nil }
    let values = Self.values
    var bytes: [UInt8] = []
    bytes.reserveCapacity(characters.count * 3 / 4)
    var (pending, bits): (UInt32, UInt32) = (0, 0)
    for character in characters {
      let value = values[Int(character)]
      guard value != none else { return nil }
      (pending, bits) = (pending << 6 | UInt32(value), bits + 6)
      guard bits >= 8 else { continue }
      bits -= 8
      bytes.append(UInt8(truncatingIfNeeded: pending >> bits))
    }
    // Left-over bits must be zero: otherwise two texts would stand for the same bytes.
    return pending & (1 << bits - 1) == 0 ? bytes : nil
  }

  /// Not generic, so that the loop is compiled for arrays whatever module calls it.
  private static func characters(of bytes: [UInt8]) -> [UInt8] {
    let alphabet = Self.alphabet
    return Array(unsafeUninitializedCapacity: (bytes.count * 4 + 2) / 3) { text, count in
      func append(_ sextet: UInt32) {
        text.initializeElement(at: count, to: alphabet[Int(sextet & 63)])
        count += 1
      }
      let whole = bytes.count / 3 * 3
      for index in stride(from: 0, to: whole, by: 3) {
        let group = UInt32(bytes[index]) << 16 | UInt32(bytes[index + 1]) << 8 | UInt32(bytes[index + 2])
        append(group >> 18)
        append(group >> 12)
        append(group >> 6)
        append(group)
      }
      let rest = bytes[whole...]
      guard let first = rest.first else { return }
      let second = rest.dropFirst().first
      let group = UInt32(first) << 8 | UInt32(second ?? 0)
      append(group >> 10)
      append(group >> 4)
      if second != nil { append(group << 2) }
    }
  }
}
