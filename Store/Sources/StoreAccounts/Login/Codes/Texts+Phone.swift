import OnsideCommerce
import StoreWeb

extension Texts {
  /// What is wrong with a number, beside the field.
  func describe(_ error: PhoneNumberError, example: String) -> String {
    switch error {
    case .empty: self[.phoneEmpty]
    case .noCountryCode: self(.phoneNoCountryCode, ["example": example])
    case .unknownCountryCode(let code): self(.phoneUnknownCode, ["code": code.isolated])
    case .tooShort: self[.phoneTooShort]
    case .tooLong: self[.phoneTooLong]
    case .unexpected(let character): self(.phoneUnexpected, ["character": String(character)])
    }
  }

  /// What is wrong with an address, beside the field.
  func describe(_ error: EmailAddressError) -> String {
    switch error {
    case .empty: self[.emailEmpty]
    case .malformed: self[.emailMalformed]
    case .unexpected(let character): self(.emailUnexpected, ["character": String(character)])
    }
  }

  /// Why no code is sent or looked at now.
  func describe(_ reached: CodeLimitReached) -> String {
    let key: TextKey =
      switch reached.limit {
      case .failures: .triesText
      case .delay: .codeResendWait
      default: .waitText
      }
    return self(key, ["wait": wait(reached.seconds)])
  }
}

/// A number that shows how one is written.
enum PhoneExample {
  /// The example of a country's numbering plan: `+31 612 345 678`. Countries without a plan get one of their country
  /// code.
  static func number(_ country: CountryCode) -> String {
    let code = DiallingCodes.code(of: country) ?? ""
    let plan = NumberingPlans.plan(of: country) ?? NumberingPlans.plan(ofInternational: code)
    guard let plan, let example = PhoneNumber(stored: "+\(plan.code)\(plan.example)") else { return "+\(code)" }
    return example.spaced
  }
}
