import Foundation

/// Where configuration comes from when the code gives none.
struct ConfigurationSources {
  /// The names of one value.
  struct Key {
    var code: String
    var plist: String
    var environment: String

    static let storeURL = Key(code: "storeURL", plist: "OnsideStoreURL", environment: "ONSIDE_STORE_URL")
    static let appIdentifier = Key(
      code: "appIdentifier", plist: "OnsideAppIdentifier", environment: "ONSIDE_APP_ID")
    static let storageFolder = Key(
      code: "storageFolder", plist: "OnsideStorageFolder", environment: "ONSIDE_STORAGE_FOLDER")
    static let callbackScheme = Key(
      code: "callbackScheme", plist: "OnsideCallbackScheme", environment: "ONSIDE_CALLBACK_SCHEME")
    static let claimToken = Key(
      code: "claimToken", plist: "OnsideClaimToken", environment: "ONSIDE_CLAIM_TOKEN")
  }

  /// A value and the name that it was found under.
  struct Found {
    var key: String
    var value: String

    func malformed(_ expected: String) -> OnsideConfigurationError {
      OnsideConfigurationError(key: key, "\(key): expected \(expected), got \"\(value)\"")
    }
  }

  /// The main bundle's Info.plist.
  var plist: [String: String]
  /// The environment.
  var environment: [String: String]
  /// The system's folder for an app's own data, if there is one.
  var dataFolder: URL?

  /// The value from code, else Info.plist, else environment. An empty one counts as none.
  func find(_ key: Key, given: String?) -> Found? {
    [(key.code, given), (key.plist, plist[key.plist]), (key.environment, environment[key.environment])]
      .lazy.compactMap { name, value in value.map { Found(key: name, value: $0) } }
      .first { !$0.value.isEmpty }
  }

  func required(_ key: Key, given: String?, expected: String) throws(OnsideConfigurationError) -> Found {
    guard let found = find(key, given: given) else { throw missing(key, expected: expected) }
    return found
  }

  func folder(given: URL?, app: String) throws(OnsideConfigurationError) -> URL {
    if let given, !given.isFileURL {
      throw Found(key: Key.storageFolder.code, value: given.absoluteString).malformed("a file URL")
    }
    if let found = find(.storageFolder, given: given?.path(percentEncoded: false)) {
      guard found.value.hasPrefix("/") else { throw found.malformed("an absolute path") }
      return URL(filePath: found.value, directoryHint: .isDirectory)
    }
    guard let dataFolder else {
      throw missing(.storageFolder, expected: "an absolute path, since this system has no home folder")
    }
    return dataFolder.appending(path: "onside/\(app)", directoryHint: .isDirectory)
  }

  func scheme(given: String?) throws(OnsideConfigurationError) -> String? {
    guard let found = find(.callbackScheme, given: given) else { return nil }
    guard found.value.wholeMatch(of: /[A-Za-z][A-Za-z0-9+.-]*/) != nil else {
      throw found.malformed("a scheme as in RFC 3986 section 3.1, without the colon")
    }
    return found.value
  }

  private func missing(_ key: Key, expected: String) -> OnsideConfigurationError {
    OnsideConfigurationError(
      key: key.environment,
      "\(key.environment) is missing: expected \(expected); give \(key.code) in code, \(key.plist) in Info.plist, or "
        + "\(key.environment) in the environment")
  }
}
