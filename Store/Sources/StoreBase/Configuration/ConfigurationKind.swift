import Foundation
import HTTPTypes
import OnsideCommerce
import StoreAccounts
import StoreBase
import StoreWeb

/// How the values of some keys are read, and written in the file's notation.
struct ConfigurationKind<Value>: Sendable {
  /// What is expected, for messages and the manual.
  let expected: String
  let parse: @Sendable (ConfigurationValue) -> Value?
  /// Nil for a value that the file cannot say: the key is left out.
  let literal: @Sendable (Value) -> String?
}

extension ConfigurationKind where Value: FixedWidthInteger & Sendable {
  static func wholeNumber(_ range: ClosedRange<Value>) -> Self {
    Self(
      expected: "a whole number from \(range.lowerBound) to \(range.upperBound)",
      parse: { $0.integer.flatMap { Value(exactly: $0) }.flatMap { range.contains($0) ? $0 : nil } },
      literal: { "\($0)" })
  }
}

extension ConfigurationKind {
  static func seconds(_ range: ClosedRange<Int>) -> Self where Value == Duration {
    let number = ConfigurationKind<Int>.wholeNumber(range)
    return Self(
      expected: number.expected, parse: { number.parse($0).map { .seconds($0) } },
      literal: { "\($0.components.seconds)" })
  }

  static func seconds(_ range: ClosedRange<Int>) -> Self where Value == TimeInterval {
    let number = ConfigurationKind<Int>.wholeNumber(range)
    return Self(
      expected: number.expected, parse: { number.parse($0).map { TimeInterval($0) } }, literal: { "\(Int($0))" })
  }

  static func choice(of values: [Value]) -> Self
  where Value: RawRepresentable & Sendable, Value.RawValue == String {
    Self(
      expected: "one of " + values.map { "\"\($0.rawValue)\"" }.joined(separator: ", "),
      parse: { given in values.first { $0.rawValue == given.text } }, literal: { "\"\($0.rawValue)\"" })
  }
}

extension ConfigurationKind<Bool> {
  static let flag = ConfigurationKind(expected: "true or false", parse: { $0.boolean }, literal: { "\($0)" })
}

extension ConfigurationKind<String> {
  static func text(_ expected: String) -> ConfigurationKind {
    ConfigurationKind(
      expected: expected,
      parse: { value in value.text.flatMap { $0.isEmpty ? nil : $0 } }, literal: { $0.tomlLiteral })
  }

  /// What numbers begin with.
  static let shortName = ConfigurationKind(
    expected: "1 to 12 letters and digits, such as \"NL1\"",
    parse: { value in
      value.text.flatMap { $0.wholeMatch(of: #/[A-Za-z0-9]{1,12}/#) == nil ? nil : $0 }
    }, literal: { $0.tomlLiteral })

  static let host = ConfigurationKind(
    expected: "a host name or an IP address such as \"127.0.0.1\"",
    parse: { value in
      value.text.flatMap { text in
        var components = URLComponents()
        components.scheme = "http"
        components.host = text.contains(":") ? "[\(text)]" : text
        return text.isEmpty || components.url?.host() == nil ? nil : text
      }
    }, literal: { $0.tomlLiteral })
}

extension ConfigurationKind<URL?> {
  /// An address of a store: no path, query or fragment, so that paths can be added to it.
  static let publicAddress = ConfigurationKind(
    expected: "https:// and a host, or http:// and a host for tests, without a path, such as \"https://store.example\"",
    parse: { value in
      guard let text = value.text, let parts = URLComponents(string: text), let host = parts.host, !host.isEmpty,
        parts.scheme == "https" || parts.scheme == "http", ["", "/"].contains(parts.path), parts.query == nil,
        parts.fragment == nil, parts.user == nil, parts.password == nil
      else { return nil }
      var bare = parts
      bare.path = ""
      return bare.url
    }, literal: { $0?.absoluteString.tomlLiteral })
}

extension ConfigurationKind<URL?> {
  /// The address of a collector. It is shown and logged: it has no user, password or query.
  static let collector = ConfigurationKind(
    expected: "a collector's http or https address such as \"http://127.0.0.1:4318/v1/traces\", without a query",
    parse: { value in
      guard let text = value.text, let url = URL(string: text), url.scheme == "https" || url.scheme == "http",
        url.host()?.isEmpty == false, url.user() == nil, url.password() == nil, url.query() == nil,
        url.fragment() == nil
      else { return nil }
      return url
    }, literal: { $0?.absoluteString.tomlLiteral })
}

extension ConfigurationKind<Int?> {
  static let optionalPort = ConfigurationKind(
    expected: "a whole number from 1 to 65535",
    parse: { value in value.integer.flatMap { 1...65535 ~= $0 ? $0 : nil } }, literal: { $0.map { "\($0)" } })
}

extension ConfigurationKind<[NetworkRange]> {
  /// Addresses and networks with commas between them.
  static let networks = ConfigurationKind(
    expected: "addresses or networks with commas between them, such as \"10.0.0.0/8, 2001:db8::7\"",
    parse: { value in
      guard let text = value.text else { return nil }
      let parts = text.split(separator: ",").map { NetworkRange($0.trimmingCharacters(in: .whitespaces)) }
      let ranges = parts.compactMap(\.self)
      return ranges.count == parts.count && !ranges.isEmpty ? ranges : nil
    },
    literal: { ranges in ranges.isEmpty ? nil : ranges.map(\.description).joined(separator: ", ").tomlLiteral })
}

extension ConfigurationKind<Double> {
  static let fraction = ConfigurationKind(
    expected: "a number from 0.0 to 1.0",
    parse: { value in value.number.flatMap { (0...1).contains($0) ? $0 : nil } }, literal: { "\($0)" })
}

extension ConfigurationKind<DatabaseLocation> {
  /// A path, or a URL, which is shown without its password.
  static let database = ConfigurationKind(
    expected: "the path of a file such as \"onside.sqlite\", or postgres://USER:PASSWORD@HOST:PORT/DATABASE",
    parse: { value in value.text.flatMap { DatabaseLocation($0) } }, literal: { $0.description.tomlLiteral })
}

extension ConfigurationKind<MessageSecret?> {
  /// A secret is read; in its place stands that there is one.
  static let secret = ConfigurationKind(
    expected: "a text",
    parse: { value in value.text.flatMap { $0.isEmpty ? nil : MessageSecret($0) } },
    literal: { secret in secret.map { _ in "\"redacted\"" } })
}

extension ConfigurationKind<MessageHeaders> {
  /// Headers are read; of each the name is shown.
  static let headers = ConfigurationKind(
    expected: "lines of Name: value", parse: { value in value.text.flatMap { MessageHeaders(parsing: $0) } },
    literal: { headers in
      headers.fields.isEmpty ? nil : headers.fields.map { "\($0.name): redacted\n" }.joined().tomlLiteral
    })
}

extension ConfigurationKind<String?> {
  static let optionalText = ConfigurationKind(
    expected: "a text", parse: { value in value.text.flatMap { $0.isEmpty ? nil : $0 } },
    literal: { $0?.tomlLiteral })

  /// An address that the store itself calls, with `{to}` and its like in it.
  static let gateway = ConfigurationKind(
    expected: "https:// and the gateway's address, or http:// for tests",
    parse: { value in
      guard let text = value.text,
        let url = URL(string: MessageTemplate(text: text, place: .address).filled(with: [:])),
        url.scheme == "https" || url.scheme == "http", url.host()?.isEmpty == false
      else { return nil }
      return text
    }, literal: { $0?.tomlLiteral })

  /// The issuer of an OpenID provider, kept as it is written: it is compared character by character.
  static let issuer = ConfigurationKind(
    expected:
      "the provider's https address, without a query, as it names itself (or http:// on this machine, for tests)",
    parse: { value in
      guard let text = value.text, !text.contains(" "), let url = URL(string: text), OpenIDProvider.isAllowed(url),
        url.query() == nil, url.fragment() == nil
      else { return nil }
      return text
    }, literal: { $0?.tomlLiteral })

  static let mailbox = ConfigurationKind(
    expected: "an e-mail address such as \"codes@store.example\" or \"Store <codes@store.example>\"",
    parse: { value in
      guard let text = value.text, (try? EmailAddress(parsing: MailText.address(of: text))) != nil else { return nil }
      return text
    }, literal: { $0?.tomlLiteral })

  static let headerName = ConfigurationKind(
    expected: "the name of a header field such as \"X-Country\"",
    parse: { value in
      guard let text = value.text, HTTPField.Name(text) != nil else { return nil }
      return text
    }, literal: { $0?.tomlLiteral })

  static let appIdentifier = ConfigurationKind(
    expected: "an app identifier such as \"io.example.store\"",
    parse: { value in value.text.flatMap { $0.isEmpty ? nil : $0 } }, literal: { $0?.tomlLiteral })
}

extension ConfigurationKind<CountryCode> {
  static let country = ConfigurationKind(
    expected: "an ISO 3166-1 alpha-2 country code such as \"NL\"",
    parse: { $0.text.flatMap { CountryCode(alpha2: $0) } }, literal: { "\"\($0.alpha2)\"" })
}

extension String {
  /// This text as TOML writes a basic string.
  fileprivate var tomlLiteral: String {
    let escaped = unicodeScalars.map { scalar in
      switch scalar {
      case "\"": "\\\""
      case "\\": "\\\\"
      case _ where scalar.value < 0x20 || scalar.value == 0x7f: String(format: "\\u%04X", scalar.value)
      default: String(scalar)
      }
    }
    return "\"" + escaped.joined() + "\""
  }
}
