import Foundation

/// The system's default browser.
enum SystemBrowser {
  /// Opens a page; false when there is no browser, or nothing to show it on. When the task is cancelled the browser
  /// stays open.
  static func open(_ page: URL) async -> Bool {
    #if os(Linux)
      await SystemTool("xdg-open", arguments: [page.absoluteString]).run()
    #elseif os(macOS)
      await withCheckedContinuation { opened in
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/open")
        process.arguments = [page.absoluteString]
        process.terminationHandler = { opened.resume(returning: $0.terminationStatus == 0) }
        do { try process.run() } catch { opened.resume(returning: false) }
      }
    #else
      false
    #endif
  }
}
