/// The ASCII digits of a typed phone number, without spaces and punctuation.
struct TypedPhoneNumber {
  let digits: String
  /// True if the number begins with `+`.
  let hasPlus: Bool

  init(_ text: String) throws(PhoneNumberError) {
    var digits = ""
    var hasPlus = false
    for character in text {
      if let digit = character.decimalDigit {
        digits.append(digit)
      } else if character == "+" || character == "＋", digits.isEmpty, !hasPlus {
        hasPlus = true
      } else if !character.isPhonePunctuation {
        throw .unexpected(character)
      }
    }
    guard !digits.isEmpty else { throw .empty }
    // The longest prefixes of calls abroad have nine digits.
    guard digits.count <= 30 else { throw .tooLong }
    self.digits = digits
    self.hasPlus = hasPlus
  }
}

extension Character {
  /// The ASCII digit of a decimal digit of any script, such as `٣` or `３`.
  var decimalDigit: Character? {
    guard unicodeScalars.count == 1, let scalar = unicodeScalars.first else { return nil }
    guard scalar.properties.numericType == .decimal, let value = wholeNumberValue else { return nil }
    return Character(String(value))
  }

  fileprivate var isPhonePunctuation: Bool {
    if isWhitespace { return true }
    // Dashes of every kind, the tilde for a second dial tone, and the invisible marks in numbers that are copied from
    // right-to-left text.
    return "-~.()/‐‑‒–—−·\u{200E}\u{200F}\u{202A}\u{202C}\u{202D}\u{2066}\u{2068}\u{2069}\u{FEFF}".contains(self)
  }
}
