import Foundation
import OnsideKit
import OnsideWebKitGTK

/// Shows a shop that is a web page in a window, and sells from it through `window.onside`.
@main
struct ShopProgram {
  static func main() async {
    do {
      let arguments = try ShopArguments(Array(CommandLine.arguments.dropFirst()))
      if arguments.wantsHelp { return print(ShopArguments.help) }
      if arguments.registers { return try ShopRegistration(arguments).write() }
      try await show(arguments)
    } catch {
      FileHandle.standardError.write(Data("onside-shop: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func show(_ arguments: ShopArguments) async throws {
    let instance = try await ShopRegistration.instance(arguments)
    if arguments.callbackScheme != nil, instance == nil { return }
    try await start(arguments)
    // The answer to a login that began before this start.
    if let url = arguments.address.flatMap(URL.init(string:)) { _ = await Onside.handle(url: url) }
    let comingBack = Task { @MainActor in
      for await text in instance?.addresses ?? AsyncStream(unfolding: { nil }) {
        if let url = URL(string: text) { _ = Onside.handle(url: url) }
      }
    }
    defer { comingBack.cancel() }
    let address = try await address(of: arguments.page)
    let window = try await OnsideWebWindow.open("Shop", width: 460, height: 860)
    guard let origin = WebOrigin(address.absoluteString) else {
      throw ShopError("expected an address with an origin, such as https://shop.example/, got \(address)")
    }
    try await OnsideJS.configureOnsideForWebView(window, allowedOrigins: [origin.description])
    await window.show(address)
    if let picture = arguments.picture {
      let user = ScriptedUser(window)
      let file = URL(filePath: picture)
      if arguments.logsIn { try await user.logIn(picture: file) } else { try await user.buy(picture: file) }
    } else {
      await window.closed()
    }
  }

  @MainActor
  private static func start(_ arguments: ShopArguments) throws {
    let screens = WindowPresenter()
    let folder = arguments.storageFolder.map { URL(filePath: $0, directoryHint: .isDirectory).absoluteURL }
    guard let file = arguments.storeKitFile else {
      let configuration = try OnsideConfiguration(storageFolder: folder, callbackScheme: arguments.callbackScheme)
      return Onside.initialize(configuration: configuration, screens: screens)
    }
    Onside.initialize(
      localStore: try LocalStore(contentsOf: URL(filePath: file), storageFolder: folder), screens: screens)
  }

  private static func address(of page: String) async throws -> URL {
    if page.contains("://") {
      guard let address = URL(string: page) else { throw ShopError("expected an address, got \(page)") }
      return address
    }
    let folder = URL(filePath: page)
    guard FileManager.default.fileExists(atPath: folder.appending(path: "index.html").path) else {
      throw ShopError("expected a folder with an index.html, or an address, got \(page)")
    }
    try await GTKActor.start()
    return await AppFolder.serve(folder)
  }
}

/// What went wrong, what was expected, and what to do.
struct ShopError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
