import Foundation
import OnsideKit
import OnsideWebKitGTK

/// The store's own app for Linux desktops.
@main
struct StoreAppProgram {
  static func main() async {
    do {
      let arguments = try StoreAppArguments(Array(CommandLine.arguments.dropFirst()))
      if arguments.wantsHelp { return print(StoreAppArguments.help) }
      try await run(arguments, environment: ProcessInfo.processInfo.environment)
    } catch {
      FileHandle.standardError.write(Data("onside-storeapp: \(error)\n".utf8))
      exit(1)
    }
  }

  private static func run(_ arguments: StoreAppArguments, environment: [String: String]) async throws {
    let folder = try StoreAppFolder(arguments.storage, environment: environment)
    if arguments.registers || arguments.unregisters {
      return try register(arguments, folder: folder, environment: environment)
    }
    let store = try folder.store(arguments.store, environment: environment)
    guard let instance = try await AppInstance.claim(folder.url, orHand: arguments.address ?? "") else { return }
    let app = try await StoreApp(
      store: store, dataFolder: folder.url, opener: SystemAppOpener(), languages: Dependencies.liveLanguages(), say: say
    )
    if let address = arguments.address { await app.open(address) } else { await app.showAccount() }
    let others = Task { for await address in instance.addresses { await app.open(address) } }
    let owner = owner(arguments).map { owner in Task { try await owner.act(in: app.window) } }
    await app.window.closed()
    others.cancel()
    owner?.cancel()
  }

  /// Writes a line at once: the desktop's log is not a terminal.
  @Sendable static func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

  private static func owner(_ arguments: StoreAppArguments) -> ScriptedOwner? {
    guard let phone = arguments.phone, let codes = arguments.codes else { return nil }
    return ScriptedOwner(
      phone: phone, codes: URL(filePath: codes), picture: arguments.picture.map { URL(filePath: $0) })
  }

  private static func register(
    _ arguments: StoreAppArguments, folder: StoreAppFolder, environment: [String: String]
  ) throws {
    guard let desktop = Desktop(environment: environment) else {
      throw StoreAppError("expected HOME, or XDG_DATA_HOME and XDG_CONFIG_HOME, in the environment")
    }
    let program = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
    let entry = DesktopEntry(
      id: "onside-storeapp", name: "Onside", command: [program, "--storage", folder.url.path(percentEncoded: false)],
      schemes: [AuthorizationLink.scheme])
    if arguments.unregisters { return try entry.unregister(desktop) }
    let store = try folder.store(arguments.store, environment: environment)
    try entry.register(desktop)
    say("onside:// addresses open here from now on, for the store at \(store.absoluteString)")
  }
}
