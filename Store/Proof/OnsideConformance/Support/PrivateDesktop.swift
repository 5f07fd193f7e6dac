import Foundation
import OnsideKit
import StoreTestSupport

/// A Linux desktop of one test, with desktop files of its own: apps that write down what they are opened with.
struct PrivateDesktop: Sendable {
  private let folder: TemporaryFolder
  /// What programs of this desktop find in their environment.
  let environment: [String: String]

  init() throws {
    folder = try TemporaryFolder()
    environment = [
      "HOME": folder.url.path, "XDG_DATA_HOME": folder.file("data"), "XDG_CONFIG_HOME": folder.file("config"),
      "XDG_DATA_DIRS": folder.file("system"), "PATH": "/usr/local/bin:/usr/bin:/bin",
    ]
    for name in ["data/applications", "config"] {
      try FileManager.default.createDirectory(atPath: folder.file(name), withIntermediateDirectories: true)
    }
  }

  /// Whether the tools of a desktop are installed (xdg-utils, libglib2.0-bin).
  static var isThere: Bool {
    ["xdg-mime", "gio"].allSatisfy { FileManager.default.isExecutableFile(atPath: "/usr/bin/\($0)") }
  }

  var opener: SystemAppOpener { SystemAppOpener(environment: environment) }

  /// Installs an app that claims a scheme.
  func install(_ app: String, for scheme: String) throws {
    let program = folder.file(app)
    try "#!/bin/sh\nprintf '%s\\n' \"$1\" >> '\(folder.file(app)).opened'\n"
      .write(toFile: program, atomically: true, encoding: .utf8)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program)
    try "[Desktop Entry]\nType=Application\nName=\(app)\nExec=\(program) %u\nMimeType=x-scheme-handler/\(scheme);\n"
      .write(toFile: folder.file("data/applications/\(app).desktop"), atomically: true, encoding: .utf8)
  }

  /// Makes apps the defaults of their schemes.
  func setDefaults(_ apps: [String: String]) throws {
    let lines = apps.map { "x-scheme-handler/\($0.key)=\($0.value).desktop\n" }.joined()
    try ("[Default Applications]\n" + lines)
      .write(toFile: folder.file("config/mimeapps.list"), atomically: true, encoding: .utf8)
  }

  func uninstall(_ app: String) throws {
    try FileManager.default.removeItem(atPath: folder.file("data/applications/\(app).desktop"))
  }

  /// What an app has been opened with so far.
  func opened(_ app: String) -> [URL] {
    let text = (try? String(contentsOfFile: folder.file("\(app).opened"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").compactMap { URL(string: String($0)) }
  }

  /// Waits until an app has been opened so many times; the last address.
  func opened(_ app: String, times: Int) async throws -> URL {
    try await NamedDeadline.wait(for: "\(app) to be opened \(times) times", every: .milliseconds(20)) {
      opened(app).count >= times
    }
    return opened(app)[times - 1]
  }
}
