extension StoreKitFileReader {
  private static let settingKeys: Set<String> = [
    "_storefront", "_locale", "_timeRate", "_failTransactionsEnabled", "_storeKitErrors", "_askToBuyEnabled",
    "_billingIssuesEnabled", "_renewalBillingIssuesEnabled", "_billingGracePeriodEnabled", "_disableDialogs",
    // Xcode's own book-keeping, without a meaning for a store.
    "_applicationInternalID", "_developerTeamID", "_lastSynchronizedDate", "_compatibilityTimeRate",
  ]

  mutating func settings(_ root: JSONObject) -> StoreKitSettings {
    var settings = StoreKitSettings()
    guard let node = root.members["settings"], node.value != .null else { return settings }
    guard let file = attemptProduct({ _ throws(JSONObject.Problem) in try JSONObject(node, path: "settings") }) else {
      hasUnknownStorefront = true
      return settings
    }
    noteUnknown(in: file, known: Self.settingKeys)
    // In another country every product has another price and currency.
    let storefront = attemptProduct { _ throws(JSONObject.Problem) in
      try file.optional("_storefront", expected: "an ISO 3166-1 alpha-3 code such as \"NLD\"") {
        $0.text.flatMap(CountryCode.init(alpha3:))
      }
    }
    hasUnknownStorefront = storefront == nil
    if let storefront = storefront ?? nil { settings.storefront = storefront }
    read(&settings.language) { () throws(JSONObject.Problem) in
      try file.string("_locale").map { LanguageTag($0).description }
    }
    read(&settings.timeRate) { () throws(JSONObject.Problem) in
      try file.optional("_timeRate", expected: "a number of SKTestSession.TimeRate") { value in
        value.integer.map(TimeRate.init(rawValue:)).flatMap { $0.isKnown ? $0 : nil }
      }
    }
    flags(file, into: &settings)
    settings.storeKitErrors = failures(file)
    return settings
  }

  private mutating func flags(_ file: JSONObject, into settings: inout StoreKitSettings) {
    let flags: [(String, WritableKeyPath<StoreKitSettings, Bool>)] = [
      ("_failTransactionsEnabled", \.failTransactionsEnabled), ("_askToBuyEnabled", \.askToBuyEnabled),
      ("_billingIssuesEnabled", \.billingIssuesEnabled),
      ("_renewalBillingIssuesEnabled", \.renewalBillingIssuesEnabled),
      ("_billingGracePeriodEnabled", \.billingGracePeriodEnabled), ("_disableDialogs", \.disableDialogs),
    ]
    for (key, setting) in flags {
      read(&settings[keyPath: setting]) { () throws(JSONObject.Problem) in try file.bool(key) }
    }
  }

  private mutating func failures(_ file: JSONObject) -> [StoreKitFailure] {
    let elements = attempt { _ throws(JSONObject.Problem) in try file.elements("_storeKitErrors") } ?? []
    return elements.compactMap { element in
      attempt { _ throws(JSONObject.Problem) in
        let entry = try JSONObject(element.node, path: element.path)
        guard try entry.bool("enabled") else { return nil }
        let failure = StoreKitFailure(operation: try entry.name("name"))
        guard let current = entry.members["current"], current.value != .null else { return failure }
        let kind = try JSONObject(current, path: entry.path("current")).string("type")
        return StoreKitFailure(operation: failure.operation, kind: kind)
      } ?? nil
    }
  }

  /// Replaces a setting by what the file says, if it says something that makes sense.
  private mutating func read<T>(_ setting: inout T, from file: () throws(JSONObject.Problem) -> T?) {
    if let value = attempt({ _ throws(JSONObject.Problem) in try file() }) ?? nil { setting = value }
  }
}
