public import OnsideCommerce

/// A phone number in the international form of ITU-T E.164: `+`, country code, subscriber number, 15 digits at most.
///
/// Printing or logging one shows its last two digits only; `e164` is the number itself.
public struct PhoneNumber: Hashable, Sendable {
  /// The number as `+31612345689`.
  public let e164: String
  /// The country that the number belongs to by its dialling code; nil where ISO 3166-1 has no code for it (+383).
  public let country: CountryCode?

  /// Parses a typed phone number by the numbering plan of its country.
  ///
  /// Spaces, dashes, dots, brackets and digits of any script are accepted, and so is a trunk prefix behind the country
  /// code: `+44 (0)20`, `+44 020` and `+44 20` begin the same number. Italy's zero belongs to its numbers. `00` may
  /// stand for `+`.
  ///
  /// With `region`, the country in which the person is or lives, a number may also be dialled as there: `020 7946 0958`
  /// in Great Britain, `011 44 20 7946 0958` in the United States. It must be valid in the numbering plan; behind `+`
  /// and `00` its length must be possible, because plans grow. Extensions are not accepted.
  ///
  /// Anything else throws a `PhoneNumberError` that names the fault.
  public init(parsing text: String, region: CountryCode? = nil) throws(PhoneNumberError) {
    self.init(e164: try PhoneNumberReading.read(TypedPhoneNumber(text), region: region).e164)
  }

  /// A stored number, as it is; nil for a text that is no `e164`.
  init?(stored text: String) {
    let digits = text.utf8.dropFirst()
    guard text.hasPrefix("+"), !digits.isEmpty, digits.allSatisfy({ (48...57).contains($0) }) else { return nil }
    self.init(e164: text)
  }

  private init(e164: String) {
    self.e164 = e164
    country = DiallingCodes.country(of: e164.dropFirst())
  }

  /// Returns the canonical form of a stored number: `+447911123456` for `+4407911123456`, which versions before the
  /// numbering plans stored. A number without a known country code is returned as it is.
  public static func canonical(of e164: String) -> String {
    guard PhoneNumber(stored: e164) != nil else { return e164 }
    return (try? PhoneNumberReading(international: String(e164.dropFirst())))?.e164 ?? e164
  }

  /// The masked number, `•••• 89`: its owner recognises it, other readers cannot tell the number.
  public var masked: String { "•••• " + e164.suffix(2) }

  /// `+31 612 345 689`: groups of three after the dialling code, to be read and compared by a person; it does not
  /// break at the end of a line.
  public var spaced: String {
    let code = NumberingPlans.plan(ofInternational: e164.dropFirst())?.code ?? ""
    var rest = e164.dropFirst(1 + code.count)
    var groups = ["+" + code]
    while rest.count > 4 {
      groups.append(String(rest.prefix(3)))
      rest = rest.dropFirst(3)
    }
    if !rest.isEmpty { groups.append(String(rest)) }
    return groups.joined(separator: "\u{00A0}")
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

/// The fault of a text that is no phone number.
public enum PhoneNumberError: Error, Hashable, Sendable {
  /// Nothing was typed.
  case empty
  /// The number does not begin with `+` or `00`, and is no number of the region, or may be one of several countries.
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
