package import Foundation

extension ConfigurationKind<String> {
  package static let host = ConfigurationKind(
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
  package static let publicAddress = ConfigurationKind(
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

  /// An address of another service, shown and logged: it has no user, password, query or fragment.
  package static let plainAddress = ConfigurationKind(
    expected: "an http or https address such as \"https://host.example/path\", without a user, query or fragment",
    parse: { value in
      guard let text = value.text, let url = URL(string: text), url.scheme == "https" || url.scheme == "http",
        url.host()?.isEmpty == false, url.user() == nil, url.password() == nil, url.query() == nil,
        url.fragment() == nil
      else { return nil }
      return url
    }, literal: { $0?.absoluteString.tomlLiteral })
}

extension ConfigurationKind<DatabaseLocation> {
  /// A path, or a URL, which is shown without its password.
  package static let database = ConfigurationKind(
    expected: "the path of a file such as \"onside.sqlite\", or postgres://USER:PASSWORD@HOST:PORT/DATABASE",
    isSecret: true, parse: { value in value.text.flatMap { DatabaseLocation($0) } },
    literal: { $0.description.tomlLiteral })
}
