/// What a payment provider said when it was asked whether the store could use it.
public struct PaymentProviderCheck: Sendable {
  /// What was looked at, such as `stripe keys`.
  public let subject: String
  /// What was found.
  public let text: String
  /// What to do; nil when all is well.
  public let remedy: String?

  package static func good(_ subject: String, _ text: String) -> PaymentProviderCheck {
    PaymentProviderCheck(subject: subject, text: text, remedy: nil)
  }

  package static func bad(_ subject: String, _ text: String, remedy: String) -> PaymentProviderCheck {
    PaymentProviderCheck(subject: subject, text: text, remedy: remedy)
  }
}
