import Foundation

extension UUID {
  /// The 36-character form in lower case, as the wire and the database have it. Every order is named many times.
  var lowercase: String {
    let digits: StaticString = "0123456789abcdef"
    return withUnsafeBytes(of: uuid) { bytes in
      String(unsafeUninitializedCapacity: 36) { text in
        var position = 0
        for (index, byte) in bytes.enumerated() {
          if index == 4 || index == 6 || index == 8 || index == 10 {
            text[position] = UInt8(ascii: "-")
            position += 1
          }
          text[position] = digits.utf8Start[Int(byte >> 4)]
          text[position + 1] = digits.utf8Start[Int(byte & 15)]
          position += 2
        }
        return position
      }
    }
  }
}
