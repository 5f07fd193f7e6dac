import Foundation
package import StoreBase

extension OpenIDProvider {
  /// The keys of one provider, a table of the file named after it: `[openid.example]`.
  package static func keys(_ id: String) -> [ConfigurationKey<[OpenIDProvider]>] {
    [
      ConfigurationKey("openid.\(id).name", path: \.[provider: id].name, kind: .optionalText),
      ConfigurationKey("openid.\(id).issuer", path: \.[provider: id].issuer, kind: .issuer),
      ConfigurationKey("openid.\(id).client_id", path: \.[provider: id].clientID, kind: .optionalText),
      ConfigurationKey("openid.\(id).client_secret", path: \.[provider: id].clientSecret, kind: .secret),
    ]
  }

  /// The id of the provider that a key is about, good or not; nil for other keys.
  package static func id(ofKey name: String) -> String? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 3 && parts[0] == "openid" ? String(parts[1]) : nil
  }

  /// The ids of the providers that variables are about: `ONSIDE_OPENID_EXAMPLE_CLIENT_SECRET`.
  package static func ids(of environment: [String: String]) -> Set<String> {
    Set(
      environment.keys.compactMap { variable in
        let parts = variable.split(separator: "_", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "ONSIDE", parts[1] == "OPENID" else { return nil }
        return OpenIDProvider(id: parts[2].lowercased())?.id
      })
  }
}

extension [OpenIDProvider] {
  /// A provider by its id; writing to one that is not there adds it.
  fileprivate subscript(provider id: String) -> OpenIDProvider {
    get {
      guard let provider = first(where: { $0.id == id }) ?? OpenIDProvider(id: id) else {
        preconditionFailure("\(id) is no provider's id")
      }
      return provider
    }
    set {
      removeAll { $0.id == id }
      append(newValue)
      sort { $0.id < $1.id }
    }
  }
}

extension ConfigurationKind<String?> {
  /// The issuer of an OpenID provider, kept as it is written: it is compared character by character.
  fileprivate static let issuer = ConfigurationKind(
    expected:
      "the provider's https address, without a query, as it names itself (or http:// on this machine, for tests)",
    parse: { value in
      guard let text = value.text, !text.contains(" "), let url = URL(string: text), OpenIDProvider.isAllowed(url),
        url.query() == nil, url.fragment() == nil
      else { return nil }
      return text
    }, literal: { $0?.tomlLiteral })
}
