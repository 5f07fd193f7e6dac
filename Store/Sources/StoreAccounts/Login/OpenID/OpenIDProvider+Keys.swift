import StoreAccounts

extension ConfigurationKey {
  /// The keys of one provider, a table of the file named after it: `[openid.example]`.
  static func openID(_ id: String) -> [ConfigurationKey] {
    [
      ConfigurationKey("openid.\(id).name", path: \.[provider: id].name, kind: .optionalText),
      ConfigurationKey("openid.\(id).issuer", path: \.[provider: id].issuer, kind: .issuer),
      ConfigurationKey("openid.\(id).client_id", path: \.[provider: id].clientID, kind: .optionalText),
      ConfigurationKey("openid.\(id).client_secret", path: \.[provider: id].clientSecret, kind: .secret),
    ]
  }

  /// The id of the provider that a key is about, good or not; nil for other keys.
  static func providerID(ofKey name: String) -> String? {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 3 && parts[0] == "openid" ? String(parts[1]) : nil
  }

  /// The ids of the providers that variables are about: `ONSIDE_OPENID_EXAMPLE_CLIENT_SECRET`.
  static func providerIDs(of environment: [String: String]) -> Set<String> {
    Set(
      environment.keys.compactMap { variable in
        let parts = variable.split(separator: "_", maxSplits: 3, omittingEmptySubsequences: false)
        guard parts.count == 4, parts[0] == "ONSIDE", parts[1] == "OPENID" else { return nil }
        return OpenIDProvider(id: parts[2].lowercased())?.id
      })
  }
}

extension ServeConfiguration {
  /// A provider by its id; writing to one that is not there adds it.
  subscript(provider id: String) -> OpenIDProvider {
    get {
      guard let provider = store.providers.first(where: { $0.id == id }) ?? OpenIDProvider(id: id) else {
        preconditionFailure("\(id) is no provider's id")
      }
      return provider
    }
    set {
      store.providers.removeAll { $0.id == id }
      store.providers.append(newValue)
      store.providers.sort { $0.id < $1.id }
    }
  }

  /// Refuses a provider that misses something.
  func checkProviders() throws(ConfigurationError) {
    for provider in store.providers {
      guard let key = provider.missingKey else { continue }
      throw .needed(
        name: "openid.\(provider.id).\(key)",
        reason: "a provider has a name, an issuer, a client_id and a client_secret")
    }
  }
}
