import OnsideCommerce

/// Where a person can be reached, and what proves who they are once they have entered a code that was sent there.
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

  /// What is shown of it to whoever has typed it, to be compared.
  var spaced: String {
    switch self {
    case .phone(let phone): phone.spaced
    case .email(let email): email.text
    }
  }

  /// The country that it says; an e-mail address says none.
  var country: CountryCode? {
    switch self {
    case .phone(let phone): phone.country
    case .email: nil
    }
  }

  /// What it shares with its neighbours, for the limits: the number without its last three digits, the mailbox.
  var range: String {
    switch self {
    case .phone(let phone): String(phone.e164.dropLast(3))
    case .email(let email): email.mailbox
    }
  }

  /// Whether it is an e-mail address.
  var isEmail: Bool {
    if case .email = self { true } else { false }
  }

  /// What is shown of it to somebody who may not be its owner.
  var masked: String {
    switch self {
    case .phone(let phone): phone.masked
    case .email(let email): email.masked
    }
  }

  /// Reads what ``text`` gave; nil for anything else.
  init?(stored: String) {
    if stored.contains("@") {
      guard let email = try? EmailAddress(parsing: stored) else { return nil }
      self = .email(email)
    } else {
      guard let phone = try? PhoneNumber(parsing: stored) else { return nil }
      self = .phone(phone)
    }
  }
}
