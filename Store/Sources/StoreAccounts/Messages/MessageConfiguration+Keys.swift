import Foundation
package import StoreBase

extension MessageConfiguration {
  /// The configuration's keys.
  package static let keys: [ConfigurationKey<MessageConfiguration>] = [
    ConfigurationKey("messages.sender", path: \.sender, kind: .choice(of: Sender.allCases)),
    ConfigurationKey("messages.url", path: \.url, kind: .gateway),
    ConfigurationKey("messages.method", path: \.method, kind: .choice(of: Method.allCases)),
    ConfigurationKey("messages.content_type", path: \.contentType, kind: .text("a media type")),
    ConfigurationKey("messages.template", path: \.template, kind: .text("a body with {to} and {text} or {code} in it")),
    ConfigurationKey("messages.headers", path: \.headers, kind: .headers),
    ConfigurationKey("messages.authorization", path: \.authorization, kind: .secret),
    ConfigurationKey("messages.user", path: \.user, kind: .optionalText),
    ConfigurationKey("messages.password", path: \.password, kind: .secret),
    ConfigurationKey("messages.from", path: \.from, kind: .optionalText),
    ConfigurationKey("messages.recognises_repeats", path: \.recognisesRepeats, kind: .flag),
    ConfigurationKey("messages.timeout", path: \.timeout, kind: .seconds(1...20), unit: "seconds"),
  ]
}

extension ConfigurationKind<String?> {
  /// An address that the store itself calls, with `{to}` and its like in it.
  fileprivate static let gateway = ConfigurationKind(
    expected: "https:// and the gateway's address, or http:// for tests",
    parse: { value in
      guard let text = value.text,
        let url = URL(string: MessageTemplate(text: text, place: .address).filled(with: [:])),
        url.scheme == "https" || url.scheme == "http", url.host()?.isEmpty == false
      else { return nil }
      return text
    }, literal: { $0?.tomlLiteral })
}

extension ConfigurationKind<MessageHeaders> {
  /// Headers are read; of each the name is shown.
  fileprivate static let headers = ConfigurationKind(
    expected: "lines of Name: value", isSecret: true,
    parse: { value in value.text.flatMap { MessageHeaders(parsing: $0) } },
    literal: { headers in
      headers.fields.isEmpty ? nil : headers.fields.map { "\($0.name): redacted\n" }.joined().tomlLiteral
    })
}
