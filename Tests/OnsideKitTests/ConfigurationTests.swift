import Foundation
import Testing

@testable import OnsideKit

@Suite(.timeLimit(.minutes(5)))
struct ConfigurationTests {
  static let environment = [
    "ONSIDE_STORE_URL": "https://env.example", "ONSIDE_APP_ID": "env.app", "ONSIDE_STORAGE_FOLDER": "/env",
    "ONSIDE_CALLBACK_SCHEME": "env-scheme",
  ]
  static let plist = [
    "OnsideStoreURL": "https://plist.example", "OnsideAppIdentifier": "plist.app", "OnsideStorageFolder": "/plist",
    "OnsideCallbackScheme": "plist-scheme",
  ]

  func configuration(
    _ plist: [String: String], environment: [String: String], data: URL? = nil
  ) throws -> OnsideConfiguration {
    try OnsideConfiguration(sources: ConfigurationSources(plist: plist, environment: environment, dataFolder: data))
  }

  @Test("INI-5: code counts before Info.plist, and Info.plist before the environment")
  func precedence() throws {
    let sources = ConfigurationSources(plist: Self.plist, environment: Self.environment)
    let code = try OnsideConfiguration(
      storeURL: URL(string: "https://code.example"), appIdentifier: "code.app", storageFolder: URL(filePath: "/code"),
      callbackScheme: "code-scheme", sources: sources)
    #expect(code.storeURL.absoluteString == "https://code.example" && code.appIdentifier == "code.app")
    #expect(code.storageFolder.path().hasPrefix("/code") && code.callbackScheme == "code-scheme")
    let plist = try configuration(Self.plist, environment: Self.environment)
    #expect(plist.appIdentifier == "plist.app" && plist.callbackScheme == "plist-scheme")
    let environment = try configuration([:], environment: Self.environment)
    #expect(environment.appIdentifier == "env.app" && environment.storeURL.absoluteString == "https://env.example")
    #expect(environment.storageFolder.path().hasPrefix("/env"))
  }

  @Test(
    "INI-5: a missing value is an error that names its key",
    arguments: ["ONSIDE_STORE_URL", "ONSIDE_APP_ID", "ONSIDE_STORAGE_FOLDER"])
  func missing(key: String) {
    for empty in [nil, ""] {
      var environment = Self.environment
      environment[key] = empty
      let error = #expect(throws: OnsideConfigurationError.self) { try configuration([:], environment: environment) }
      #expect(error?.key == key && error?.description.contains(key) == true)
    }
  }

  @Test("INI-5: where the system has a place for an app's own data, the storage folder may be left out")
  func defaultFolder() throws {
    var environment = Self.environment
    environment["ONSIDE_STORAGE_FOLDER"] = nil
    let configuration = try configuration([:], environment: environment, data: URL(filePath: "/var/state"))
    #expect(configuration.storageFolder.path() == "/var/state/onside/env.app/")
  }

  @Test("INI-5: without a callback scheme there is none")
  func noScheme() throws {
    var environment = Self.environment
    environment["ONSIDE_CALLBACK_SCHEME"] = nil
    let callbackScheme = try configuration([:], environment: environment).callbackScheme
    #expect(callbackScheme == nil)
  }

  @Test(
    "INI-5: a malformed value is an error that names its key and what came",
    arguments: [
      ("ONSIDE_STORE_URL", "http://store.example"), ("ONSIDE_STORE_URL", "store.example"),
      ("ONSIDE_STORE_URL", "ftp://store.example"), ("ONSIDE_STORE_URL", "https://store.example?x=1"),
      ("ONSIDE_STORE_URL", "https://"), ("ONSIDE_STORE_URL", "http://127.0.0.1.evil.example"),
      ("ONSIDE_APP_ID", "two words"), ("ONSIDE_APP_ID", "../up"), ("ONSIDE_APP_ID", "-"),
      ("ONSIDE_STORAGE_FOLDER", "relative/path"), ("ONSIDE_CALLBACK_SCHEME", "1abc"),
      ("ONSIDE_CALLBACK_SCHEME", "lumen:"), ("ONSIDE_CALLBACK_SCHEME", "lümen"),
    ])
  func malformed(key: String, value: String) {
    var environment = Self.environment
    environment[key] = value
    let error = #expect(throws: OnsideConfigurationError.self) { try configuration([:], environment: environment) }
    #expect(error?.key == key && error?.description.contains(value) == true)
  }

  @Test(
    "INI-5: plain http is for stores on this machine",
    arguments: [
      "http://127.0.0.1:8080", "http://localhost:8080", "http://[::1]:8080", "https://store.example/base/",
    ])
  func addresses(address: String) throws {
    var environment = Self.environment
    environment["ONSIDE_STORE_URL"] = address
    let absoluteString = try configuration([:], environment: environment).storeURL.absoluteString
    #expect(absoluteString == address)
  }
}
