import Foundation
import StoreAccounts
public import StoreBase
import StoreSales

extension ServeConfiguration {
  /// Reads a configuration: the defaults, overridden by the file, the environment and the flags, in this order.
  ///
  /// - Parameters:
  ///   - file: the path of a TOML file, if there is one.
  ///   - environment: variables named `ONSIDE_` and the key in upper case with underscores. Another name that begins
  ///     so is refused, except those of the SDK and its tools; all others are left alone.
  ///   - flags: values of the command line by the name of their key; `place` of an error is then `--name`.
  public init(file: String?, environment: [String: String], flags: [String: String] = [:]) throws(ConfigurationError) {
    self.init()
    if let file {
      for entry in try ConfigurationFile(path: file).entries {
        try set(entry.name, to: entry.value, place: entry.place)
      }
    }
    let others = Set(store.providers.map(\.id)).union(OpenIDProvider.ids(of: environment)).sorted()
    let keys = Self.keys + others.flatMap(Self.openIDKeys)
    for key in keys {
      if let text = environment[key.variable] { try set(key.name, to: .untyped(text), place: key.variable) }
    }
    try Self.refuseUnknown(environment, keys: keys)
    for (name, text) in flags.sorted(by: { $0.key < $1.key }) {
      try set(name, to: .untyped(text), place: "--" + name.replacing("_", with: "-"))
    }
  }

  /// Validates the configuration before the store serves. Throws for a sender that lacks a key it needs, and for a
  /// production store without a login method, without https or without a payment provider that takes real money.
  public func check() throws(ConfigurationError) {
    try store.messages.check()
    try store.mail.check()
    for provider in store.providers { try provider.check() }
    try checkTax()
    guard store.knownProxies.isEmpty || store.isBehindProxy else {
      throw .needed(name: "behind_proxy", reason: "proxies is set; without it nobody's X-Forwarded-For is believed")
    }
    if store.environment == .sandbox { return try checkPayments() }
    guard store.publicURL?.scheme == "https" else {
      throw .neededInProduction(name: "public_url", reason: "an https address, where people log in and pay")
    }
    guard store.name != StoreConfiguration.placeholderName else {
      throw .neededInProduction(name: "name", reason: "the store's name on pages, in messages and on receipts")
    }
    guard store.messages.sender != .console, store.mail.sender != .console else {
      throw .neededInProduction(
        name: "messages.sender", reason: "\"http\", \"kannel\" or \"none\"; the console only prints codes")
    }
    guard store.messages.sender != .none || store.mail.sender != .none || !store.providers.isEmpty else {
      throw .neededInProduction(
        name: "messages.sender", reason: "users cannot log in without it, mail.sender or a provider")
    }
    try checkPayments()
  }

  /// Rejects a header field that any client could set.
  private func checkTax() throws(ConfigurationError) {
    guard store.tax.countryHeader != nil, !store.isBehindProxy else { return }
    throw .needed(
      name: "behind_proxy",
      reason: "tax.country_header is believed, which only a proxy of your own may set; without one any client does")
  }

  /// The configuration in the format of its file, without the secrets.
  public var text: String {
    var lines: [String] = []
    var table = ""
    for key in Self.keys + store.providers.flatMap({ Self.openIDKeys($0.id) }) {
      let parts = key.name.split(separator: ".").map(String.init)
      if parts.count > 1, parts.dropLast().joined(separator: ".") != table {
        table = parts.dropLast().joined(separator: ".")
        lines += ["", "[\(table)]"]
      }
      let name = parts.last ?? key.name
      lines.append(key.literal(self).map { "\(name) = \($0)" } ?? "# \(name) is not set")
    }
    return lines.joined(separator: "\n") + "\n"
  }

  /// Variables of the SDK, its samples and the tests: they may be set where a store is started.
  private static let variablesOfOthers: Set = [
    "ONSIDE_STORE_URL", "ONSIDE_APP_ID", "ONSIDE_STORAGE_FOLDER", "ONSIDE_CALLBACK_SCHEME", "ONSIDE_KILL_AT",
    "ONSIDE_PAGE_PREVIEW", "ONSIDE_CLAIM_TOKEN", "ONSIDE_STOREKIT_FOLDER", "ONSIDE_API_KEY",
  ]

  private static func refuseUnknown(
    _ environment: [String: String], keys: [ConfigurationKey<Self>]
  ) throws(ConfigurationError) {
    let known = keys.map(\.variable)
    let others = Set(known).union(variablesOfOthers)
    let unknown = environment.keys.filter { $0.hasPrefix("ONSIDE_") && !others.contains($0) }.min()
    guard let unknown else { return }
    throw .unknownKey(place: "environment", name: unknown, nearest: NearestName.of(unknown, among: known))
  }

  private mutating func set(
    _ name: String, to value: ConfigurationValue, place: String
  ) throws(ConfigurationError) {
    let keys = try Self.keys + Self.providerKeys(OpenIDProvider.id(ofKey: name), place: place)
    guard let key = keys.first(where: { $0.name == name }) else {
      throw .unknownKey(place: place, name: name, nearest: NearestName.of(name, among: keys.map(\.name)))
    }
    guard key.write(value, &self) else {
      throw .invalidValue(
        place: place, name: name, expected: key.expected, found: key.isSecret ? "something else" : value.shown)
    }
  }

  private static func providerKeys(
    _ id: String?, place: String
  ) throws(ConfigurationError) -> [ConfigurationKey<Self>] {
    guard let id else { return [] }
    guard OpenIDProvider(id: id) != nil else {
      throw .invalidValue(
        place: place, name: "the name of an [openid.…] table", expected: "lower-case letters and digits",
        found: "\"\(id)\"")
    }
    return openIDKeys(id)
  }
}
