public import Foundation

/// Where the store is and who the app is.
public struct OnsideConfiguration: Hashable, Sendable {
  /// The store's address: https, or http on this machine.
  public var storeURL: URL
  /// The identifier under which the app is registered at the store, for example `io.example.lumen`.
  public var appIdentifier: String
  /// The folder that holds session and transactions; one for each app and user.
  public var storageFolder: URL
  /// The scheme of addresses that come back to the app, without the colon; `nil` when it has none.
  public var callbackScheme: String?
  /// The one-time token with which an installer says which visit led to it; `nil` when it has none. See
  /// ``Onside/getAttributionMetadata(completion:)``.
  public var claimToken: String?

  /// A configuration from what is given here, else from the main bundle's Info.plist, else from the environment.
  ///
  /// | value | Info.plist | environment | else |
  /// |---|---|---|---|
  /// | store address | `OnsideStoreURL` | `ONSIDE_STORE_URL` | an error |
  /// | app identifier | `OnsideAppIdentifier` | `ONSIDE_APP_ID` | an error |
  /// | storage folder | `OnsideStorageFolder` | `ONSIDE_STORAGE_FOLDER` | the system's place for an app's own data |
  /// | callback scheme | `OnsideCallbackScheme` | `ONSIDE_CALLBACK_SCHEME` | none |
  /// | claim token | `OnsideClaimToken` | `ONSIDE_CLAIM_TOKEN` | none |
  ///
  /// - Throws: an error that names the key of a missing or malformed value.
  public init(
    storeURL: URL? = nil, appIdentifier: String? = nil, storageFolder: URL? = nil, callbackScheme: String? = nil
  ) throws(OnsideConfigurationError) {
    try self.init(
      storeURL: storeURL, appIdentifier: appIdentifier, storageFolder: storageFolder, callbackScheme: callbackScheme,
      sources: .process)
  }

  init(
    storeURL: URL? = nil, appIdentifier: String? = nil, storageFolder: URL? = nil, callbackScheme: String? = nil,
    sources: ConfigurationSources
  ) throws(OnsideConfigurationError) {
    let store = try sources.required(
      .storeURL, given: storeURL?.absoluteString, "an address such as https://store.example")
    let app = try sources.required(.appIdentifier, given: appIdentifier, "an identifier such as io.example.lumen")
    guard let url = URL(string: store.value), url.isSecureWebAddress, url.query() == nil, url.fragment() == nil else {
      throw store.malformed("an https address without a query, or an http one on this machine")
    }
    guard app.value.utf8.count <= 255, app.value.wholeMatch(of: /[A-Za-z0-9][A-Za-z0-9._-]*/) != nil else {
      throw app.malformed("letters, digits, dots, dashes and underscores, at most 255")
    }
    self.storeURL = url
    self.appIdentifier = app.value
    self.storageFolder = try sources.folder(given: storageFolder, app: app.value)
    self.callbackScheme = try sources.scheme(given: callbackScheme)
    claimToken = sources.find(.claimToken, given: nil)?.value
  }
}

/// A configuration value that is missing or malformed.
public struct OnsideConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The key, for example `ONSIDE_STORE_URL`.
  public let key: String
  /// What was expected, what came and what to do.
  public let description: String

  init(key: String, _ description: String) {
    self.key = key
    self.description = description
  }
}
