import OnsideCommerce

/// A phone number or e-mail address. A person proves that it is theirs by entering a code that was sent to it.
public enum Contact: Sendable, Hashable {
  /// By text message.
  case phone(PhoneNumber)
  /// By e-mail.
  case email(EmailAddress)

  /// The number or address itself.
  public var text: String {
    switch self {
    case .phone(let phone): phone.e164
    case .email(let email): email.text
    }
  }

  /// The number or address in full, grouped for reading, shown to the person who typed it so that they can compare.
  var spaced: String {
    switch self {
    case .phone(let phone): phone.spaced
    case .email(let email): email.text
    }
  }

  /// The country of the phone number; nil for an e-mail address.
  var country: CountryCode? {
    switch self {
    case .phone(let phone): phone.country
    case .email: nil
    }
  }

  /// The country of the limits: that of the number, `""` for numbers without one, nil for e-mail addresses.
  var codeCountry: String? { isEmail ? nil : country?.alpha2 ?? "" }

  /// The group that the limits count together: the number without its last three digits, or the mailbox.
  var range: String {
    switch self {
    case .phone(let phone): String(phone.e164.dropLast(3))
    case .email(let email): email.mailbox
    }
  }

  /// Whether it is an e-mail address.
  package var isEmail: Bool {
    if case .email = self { true } else { false }
  }

  /// The masked number or address, for readers who may not be its owner.
  package var masked: String {
    switch self {
    case .phone(let phone): phone.masked
    case .email(let email): email.masked
    }
  }

  /// Parses a value of ``text``; nil for anything else.
  init?(stored: String) {
    if stored.contains("@") {
      guard let email = try? EmailAddress(parsing: stored) else { return nil }
      self = .email(email)
    } else {
      guard let phone = PhoneNumber(stored: stored) else { return nil }
      self = .phone(phone)
    }
  }
}
