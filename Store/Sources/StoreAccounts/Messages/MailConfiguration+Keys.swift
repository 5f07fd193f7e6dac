package import StoreBase

extension MailConfiguration {
  /// The configuration's keys.
  package static let keys: [ConfigurationKey<MailConfiguration>] = [
    ConfigurationKey("mail.sender", path: \.sender, kind: .choice(of: Sender.allCases)),
    ConfigurationKey("mail.host", path: \.host, kind: .host),
    ConfigurationKey("mail.port", path: \.port, kind: .wholeNumber(1...65535)),
    ConfigurationKey("mail.security", path: \.security, kind: .choice(of: Security.allCases)),
    ConfigurationKey("mail.user", path: \.user, kind: .optionalText),
    ConfigurationKey("mail.password", path: \.password, kind: .secret),
    ConfigurationKey("mail.from", path: \.from, kind: .mailbox),
    ConfigurationKey("mail.trusted_certificates", path: \.trustedCertificates, kind: .optionalText),
    ConfigurationKey("mail.timeout", path: \.timeout, kind: .seconds(1...60), unit: "seconds"),
  ]
}

extension ConfigurationKind<String?> {
  fileprivate static let mailbox = ConfigurationKind(
    expected: "an e-mail address such as \"codes@store.example\" or \"Store <codes@store.example>\"",
    parse: { value in
      guard let text = value.text, (try? EmailAddress(parsing: MailText.address(of: text))) != nil else { return nil }
      return text
    }, literal: { $0?.tomlLiteral })
}
