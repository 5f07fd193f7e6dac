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

  /// What the database finds it by.
  var key: String {
    switch self {
    case .phone(let phone): phone.e164
    case .email(let email): email.matchKey
    }
  }

  /// What is shown of it to somebody who may not be its owner.
  var masked: String {
    switch self {
    case .phone(let phone): phone.masked
    case .email(let email): email.masked
    }
  }

  /// Reads what ``text`` or ``key`` gave; nil for anything else.
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
