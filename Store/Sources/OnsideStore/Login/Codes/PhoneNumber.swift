public import OnsideCommerce

/// A phone number in the international form of ITU-T E.164: `+`, country code, subscriber number, 15 digits at most.
///
/// Printing or logging one shows its last two digits only; `e164` is the number itself.
public struct PhoneNumber: Hashable, Sendable {
  /// The number as `+31612345689`.
  public let e164: String
  /// The country that the number belongs to by its dialling code; nil where ISO 3166-1 has no code for it (+383).
  public let country: CountryCode?

  /// Parses a typed phone number.
  ///
  /// Spaces, dashes, dots, brackets, a bracketed trunk zero as in `+44 (0)20` and a leading `00` are accepted, and so
  /// are digits of any script. Anything else throws a `PhoneNumberError` that names the fault.
  public init(parsing text: String) throws(PhoneNumberError) {
    let digits = try Self.digits(of: text)
    guard digits.count <= 15 else { throw .tooLong }
    guard let match = DiallingCodes.match(digits) else { throw .unknownCountryCode("+" + digits.prefix(3)) }
    guard digits.count >= match.lengths.lowerBound else { throw .tooShort }
    guard digits.count <= match.lengths.upperBound else { throw .tooLong }
    e164 = "+" + digits
    country = match.country
  }

  /// The masked number, `•••• 89`: its owner recognises it, other readers cannot tell the number.
  public var masked: String { "•••• " + e164.suffix(2) }

  /// `+31 612 345 689`: groups of three after the dialling code, to be read and compared by a person; it does not
  /// break at the end of a line.
  public var spaced: String {
    let code = DiallingCodes.match(String(e164.dropFirst()))?.code ?? ""
    var rest = e164.dropFirst(1 + code.count)
    var groups = ["+" + code]
    while rest.count > 4 {
      groups.append(String(rest.prefix(3)))
      rest = rest.dropFirst(3)
    }
    if !rest.isEmpty { groups.append(String(rest)) }
    return groups.joined(separator: "\u{00A0}")
  }

  private static func digits(of text: String) throws(PhoneNumberError) -> String {
    var digits = ""
    var international = false
    for character in text.replacing("(0)", with: "") {
      if let digit = character.decimalDigit {
        digits.append(digit)
      } else if character == "+" || character == "＋", digits.isEmpty, !international {
        international = true
      } else if !character.isPhonePunctuation {
        throw .unexpected(character)
      }
    }
    guard !digits.isEmpty else { throw .empty }
    if !international {
      guard digits.hasPrefix("00") else { throw .noCountryCode }
      digits.removeFirst(2)
    }
    guard !digits.isEmpty else { throw .tooShort }
    return digits
  }
}

extension PhoneNumber: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  /// The masked number.
  public var description: String { masked }
  /// The masked number.
  public var debugDescription: String { masked }
  /// Nothing but the masked number, so that a dump shows no more than a print.
  public var customMirror: Mirror { Mirror(self, children: ["masked": masked]) }
}

/// Why a text is no phone number.
public enum PhoneNumberError: Error, Hashable, Sendable {
  /// Nothing was typed.
  case empty
  /// The number does not begin with `+` or `00`.
  case noCountryCode
  /// No country has this dialling code.
  case unknownCountryCode(String)
  /// Fewer digits than a number of that country has.
  case tooShort
  /// More digits than a number of that country, or any number, has.
  case tooLong
  /// A character that no phone number has.
  case unexpected(Character)
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
    // Dashes of every kind, and the invisible marks in numbers that are copied from right-to-left text.
    return "-.()/‐‑‒–—−·\u{200E}\u{200F}\u{202A}\u{202C}\u{202D}\u{2066}\u{2068}\u{2069}\u{FEFF}".contains(self)
  }
}
