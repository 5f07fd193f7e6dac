import ArgumentParser
import Foundation
import Logging
import OnsideBrowserHost
import OnsideKit

/// Gives `window.onside` to a page in an ordinary browser.
struct Dev: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract: "Gives window.onside to a web page in your browser, for development.",
    discussion: """
      onside dev --page http://localhost:5173 --storekit Shop.storekit
      onside dev --page my-shop/ --store http://127.0.0.1:8080 --app io.example.lumen

      Purchases from a .storekit file are kept for that file, by its real path; onside dev says where. They are
      forgotten with --reset, which without --page does nothing else:
      onside dev --reset --storekit Shop.storekit

      Without --storekit and --store it takes the store and the app from ONSIDE_STORE_URL and ONSIDE_APP_ID.
      docs/web-apps.md is the guide.
      """)

  @Option(help: ArgumentHelp("The page: the address of your own server, or a folder to serve.", valueName: "url"))
  var page: String?
  @Option(help: ArgumentHelp("Sell from this .storekit file: no network, nothing is charged.", valueName: "file"))
  var storekit: String?
  @Flag(help: "With --storekit: forget what was bought there before, and who was logged in.") var reset = false
  @Flag(help: "The same as --reset.") var fresh = false
  @Option(help: ArgumentHelp("Sell from this store.", valueName: "url")) var store: String?
  @Option(help: ArgumentHelp("With --store: the app's identifier.", valueName: "id")) var app: String?
  @Option(help: "The port on 127.0.0.1 to listen on; 0 takes a free one.") var port = 8788
  @Option(help: "The token of the script tag, so that the tag can stay; random unless given.") var token: String?

  func validate() throws {
    if storekit != nil, store != nil || app != nil {
      throw ValidationError("Expected --storekit or --store with --app, got both.")
    }
    if forgets, storekit == nil { throw ValidationError("--\(reset ? "reset" : "fresh") is for --storekit.") }
    if let token, token.wholeMatch(of: /[A-Za-z0-9_-]{16,128}/) == nil {
      throw ValidationError("Expected a --token of 16 to 128 letters, digits, dashes and underscores.")
    }
    guard (0...65535).contains(port) else { throw ValidationError("Expected a --port from 0 to 65535, got \(port).") }
    guard let page else {
      if forgets { return }
      throw ValidationError("Expected --page with an address or a folder, or --reset to forget purchases only.")
    }
    _ = try settings(page)
  }

  private var forgets: Bool { reset || fresh }

  @MainActor
  func run() async throws {
    if forgets, let storekit { try forgetPurchases(storekit) }
    guard let page else { return }
    let settings = try settings(page)
    let store = try startSDK()
    let host = BrowserHost(bridge: .shared(), settings: settings, log: { Self.say($0) })
    do {
      try await host.run { Self.say(DevText(settings: settings, address: $0, store: store).text) }
    } catch {
      throw PortFailure.explaining(error, host: "127.0.0.1", port: port)
    }
  }

  private func forgetPurchases(_ storekit: String) throws {
    let file = URL(filePath: storekit)
    // A misspelt file would have nothing to forget, and that would look like success.
    _ = try LocalStore(contentsOf: file, logger: Logger(label: "onside") { _ in SwiftLogNoOpLogHandler() })
    try LocalStore.eraseStorage(for: file)
    Self.say("Purchases from \(storekit) are forgotten.")
  }

  private static func say(_ line: String) {
    print(line)
    fflush(nil)
  }

  private func settings(_ page: String) throws -> BrowserHostSettings {
    var settings = BrowserHostSettings(page: try place(of: page), port: port)
    if let token { settings.token = token }
    return settings
  }

  private func place(of page: String) throws -> BrowserHostSettings.Page {
    if page.contains("://") {
      guard let origin = WebOrigin(page), ["http", "https"].contains(origin.scheme) else {
        throw ValidationError("Expected --page to be an address such as http://localhost:5173, got “\(page)”.")
      }
      return .origin(origin)
    }
    let folder = URL(filePath: page, directoryHint: .isDirectory)
    let index = folder.appending(path: "index.html").path(percentEncoded: false)
    guard FileManager.default.fileExists(atPath: index) else {
      throw ValidationError(
        "Expected --page to be an address such as http://localhost:5173, or a folder with an index.html; got “\(page)”."
      )
    }
    return .folder(folder)
  }

  /// Starts the SDK; answers what is said of its store.
  @MainActor
  private func startSDK() throws -> String {
    if let storekit {
      let local = try LocalStore(contentsOf: URL(filePath: storekit))
      try local.claim()
      Onside.initialize(localStore: local, screens: DevScreens.presenter)
      return [storekit, local.storageFolder.map { "  kept   \($0.path(percentEncoded: false))" }].compactMap(\.self)
        .joined(separator: "\n")
    }
    let url = store.flatMap { URL(string: $0) }
    if let store, url == nil { throw ValidationError("Expected --store to be an address, got “\(store)”.") }
    let configuration = try OnsideConfiguration(storeURL: url, appIdentifier: app)
    Onside.initialize(configuration: configuration, screens: DevScreens.presenter)
    return "\(configuration.storeURL.absoluteString), as \(configuration.appIdentifier)"
  }
}
