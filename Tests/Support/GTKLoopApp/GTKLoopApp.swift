import CWebKitGTK
import Foundation
import OnsideCommerce
import OnsideKit
import OnsideWebKitGTK

/// An app that runs GTK's loop itself, on the process's first thread, as GTK apps do. Prints what a page of it sees.
@main
@MainActor
enum GTKLoopApp {
  static func main() {
    guard gtk_init_check() != 0 else { exit(2) }
    GTKActor.adoptMainLoop()
    Task {
      do {
        print(try await transactions())
        exit(0)
      } catch {
        print(error)
        exit(1)
      }
    }
    g_main_loop_run(g_main_loop_new(nil, 0))
  }

  private static func transactions() async throws -> String {
    let dependencies = Dependencies.live(storageFolder: FileManager.default.temporaryDirectory)
    let store = LocalStore(StoreKitConfiguration(products: []), dependencies: dependencies)
    let bridge = OnsideBridge(client: OnsideClient(localStore: store, dependencies: dependencies))
    let window = try await OnsideWebWindow.open("Loop")
    try await OnsideJS.configureOnsideForWebView(window, allowedOrigins: [AppFolder.origin], bridge: bridge)
    let folder = FileManager.default.temporaryDirectory.appending(path: "gtk-loop-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data("<title>Loop</title>".utf8).write(to: folder.appending(path: "index.html"))
    try await window.load(await AppFolder.serve(folder))
    return try await window.run("return JSON.stringify(await onside.getTransactions())")
  }
}
