import Foundation
import OnsideWebKitGTK

/// How a desktop finds the way back to the shop: the desktop file of its callback scheme, and the one process that a
/// later one hands its address to.
struct ShopRegistration {
  private let entry: DesktopEntry

  init(_ arguments: ShopArguments) throws {
    guard let scheme = arguments.callbackScheme, let storage = arguments.storageFolder else {
      throw ShopError("expected --callback-scheme SCHEME and --storage FOLDER beside --register")
    }
    let environment = ProcessInfo.processInfo.environment
    let settings = ["ONSIDE_STORE_URL", "ONSIDE_APP_ID"].compactMap { name in environment[name].map { "\(name)=\($0)" }
    }
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let page = arguments.page.contains("://") ? arguments.page : URL(filePath: arguments.page).absoluteURL.path
    entry = DesktopEntry(
      id: "onside-shop-\(scheme.lowercased())", name: "Shop",
      command: ["env"] + settings + [
        program, page, "--storage", URL(filePath: storage).absoluteURL.path, "--callback-scheme", scheme,
      ], schemes: [scheme])
  }

  func write() throws {
    guard let desktop = Desktop(environment: ProcessInfo.processInfo.environment) else {
      throw ShopError("expected HOME, or XDG_DATA_HOME and XDG_CONFIG_HOME, in the environment")
    }
    try entry.register(desktop)
  }

  /// The process that shows the shop of a folder; nil when it is another one, which gets the address then.
  static func instance(_ arguments: ShopArguments) async throws -> AppInstance? {
    guard arguments.callbackScheme != nil, let storage = arguments.storageFolder else { return nil }
    let folder = URL(filePath: storage, directoryHint: .isDirectory).absoluteURL
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    return try await AppInstance.claim(folder, orHand: arguments.address ?? "")
  }
}
