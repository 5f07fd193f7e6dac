import Foundation

/// The system's default browser.
enum SystemBrowser {
  /// Opens a page; false when there is no browser, or nothing to show it on. When the task is cancelled the browser
  /// stays open.
  static func open(_ page: URL) async -> Bool {
    #if os(Linux) || os(macOS)
      let process = Process()
      process.executableURL = URL(filePath: "/usr/bin/env")
      // An argument of its own, never part of a shell line.
      process.arguments = [command, page.absoluteString]
      process.standardInput = FileHandle.nullDevice
      process.standardOutput = FileHandle.nullDevice
      process.standardError = FileHandle.nullDevice
      let (ends, ended) = AsyncStream.makeStream(of: Bool.self)
      process.terminationHandler = { ended.yield($0.terminationStatus == 0) }
      guard (try? process.run()) != nil else { return false }
      return await ends.first { _ in true } ?? true
    #else
      return false
    #endif
  }

  #if os(macOS)
    private static let command = "open"
  #else
    private static let command = "xdg-open"
  #endif
}
