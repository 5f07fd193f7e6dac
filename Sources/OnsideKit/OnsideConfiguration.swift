public import Foundation
import OnsideAPI

/// The configuration of the SDK: the store's address, the app's identifier and the storage folder.
///
/// Make one to give values in code, or to handle a missing value; ``Onside/initialize()`` makes one without arguments.
///
/// ```swift
/// let configuration = try OnsideConfiguration(
///   storeURL: URL(string: "https://store.example"), appIdentifier: "io.example.lumen")
/// Onside.initialize(configuration: configuration)
/// ```
public struct OnsideConfiguration: Hashable, Sendable {
  /// The store's address: `https`, or `http` on this machine; without a query or fragment.
  public var storeURL: URL
  /// The identifier under which the app is registered at the store, for example `io.example.lumen`.
  ///
  /// Letters, digits, dots, dashes and underscores, at most 255; the first is a letter or digit.
  public var appIdentifier: String
  /// The folder for the session, transactions, events and the installation's identifier; one for each app and user.
  ///
  /// Only one process at a time has the payment queue of a folder: a second one takes no payments until the first has
  /// ended. Processes that run at the same time need folders of their own. Deleting the folder logs the user out;
  /// unfinished paid purchases come back from the store at the next login.
  public var storageFolder: URL
  /// The app's custom URL scheme for redirects, without the colon; `nil` when it has none. See
  /// ``Onside/callbackScheme``.
  public var callbackScheme: String?
  /// The one-time attribution token by which an installer names the visit that led to the installation; `nil` for none.
  ///
  /// It is found in Info.plist or the environment, or set here before `initialize`. It has 16 to 128 letters, digits,
  /// `-` and `_`; any other is ignored with a warning. See ``Onside/getAttributionMetadata(completion:)``.
  public var claimToken: String?

  /// Makes a configuration from the arguments, else from the main bundle's Info.plist, else from the environment
  /// (INI-5).
  ///
  /// | value | Info.plist | environment | else |
  /// |---|---|---|---|
  /// | store address | `OnsideStoreURL` | `ONSIDE_STORE_URL` | an error |
  /// | app identifier | `OnsideAppIdentifier` | `ONSIDE_APP_ID` | an error |
  /// | storage folder | `OnsideStorageFolder` | `ONSIDE_STORAGE_FOLDER` | `onside/<app identifier>`, see below |
  /// | callback scheme | `OnsideCallbackScheme` | `ONSIDE_CALLBACK_SCHEME` | none |
  /// | claim token | `OnsideClaimToken` | `ONSIDE_CLAIM_TOKEN` | none |
  ///
  /// An empty value counts as none. The default storage folder is in Application Support on Apple systems, and in
  /// `XDG_STATE_HOME`, else `~/.local/state`, elsewhere; a process without a home folder has none.
  ///
  /// - Parameters:
  ///   - storeURL: `https`, or `http` on this machine.
  ///   - appIdentifier: the identifier under which the app is registered at the store.
  ///   - storageFolder: a file URL with an absolute path. The folder is made when it is first written to.
  ///   - callbackScheme: a scheme as in RFC 3986, section 3.1, without the colon.
  /// - Throws: ``OnsideConfigurationError``, which names the key of a missing or malformed value.
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
      .storeURL, given: storeURL?.absoluteString, expected: "an address such as https://store.example")
    let app = try sources.required(
      .appIdentifier, given: appIdentifier, expected: "an identifier such as io.example.lumen")
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

/// A configuration value that is missing or malformed. Thrown by the initializer of ``OnsideConfiguration``.
public struct OnsideConfigurationError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The key of the value. For a missing one it is the name in the environment, such as `ONSIDE_STORE_URL`; for a
  /// malformed one the name under which the value was found: `storeURL`, `OnsideStoreURL` or `ONSIDE_STORE_URL`.
  public let key: String
  /// What was expected, which value was found and where to set it; for the developer, in English.
  public let description: String

  init(key: String, _ description: String) {
    self.key = key
    self.description = description
  }
}
