package import Foundation

/// The desktop file that tells a Linux desktop which program opens a scheme (Desktop Entry Specification 1.5;
/// Association between MIME types and applications 1.0.1).
package struct DesktopEntry: Hashable, Sendable {
  /// The file's name, without `.desktop`.
  package var id: String
  /// The name that people see.
  package var name: String
  /// The program and its arguments; the address comes behind them.
  package var command: [String]
  /// The schemes that it opens.
  package var schemes: [String]

  package init(id: String, name: String, command: [String], schemes: [String]) {
    self.id = id
    self.name = name
    self.command = command
    self.schemes = schemes
  }

  /// The file's content.
  package var text: String {
    """
    [Desktop Entry]
    Type=Application
    Name=\(name)
    Exec=\((command.map(Self.quoted) + ["%u"]).joined(separator: " "))
    MimeType=\(types.map { $0 + ";" }.joined())
    Terminal=false
    StartupNotify=true

    """
  }

  /// Writes the file for this user, and makes it the default of its schemes.
  package func register(_ desktop: Desktop) throws {
    let folder = desktop.applications
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(text.utf8).write(to: file(desktop), options: .atomic)
    try desktop.changeDefaults { lines in
      var lines = lines.filter { line in !types.contains { line.hasPrefix("\($0)=") } }
      let section = lines.firstIndex(of: Desktop.defaults)
      if section == nil { lines.append(Desktop.defaults) }
      lines.insert(contentsOf: types.map { "\($0)=\(id).desktop" }, at: (section ?? lines.count - 1) + 1)
      return lines
    }
  }

  /// Takes back what ``register(_:)`` did.
  package func unregister(_ desktop: Desktop) throws {
    try? FileManager.default.removeItem(at: file(desktop))
    try desktop.changeDefaults { lines in lines.filter { line in !types.contains { line == "\($0)=\(id).desktop" } } }
  }

  private var types: [String] { schemes.map { "x-scheme-handler/\($0.lowercased())" } }

  private func file(_ desktop: Desktop) -> URL { desktop.applications.appending(path: "\(id).desktop") }

  /// A word of `Exec`: quoted only when it has to be, since not everything that reads such files knows quotes.
  private static func quoted(_ word: String) -> String {
    let word = word.replacing("%", with: "%%")
    guard word.contains(where: { !$0.isLetter && !$0.isNumber && !"/._-:=%+@,".contains($0) }) || word.isEmpty else {
      return word
    }
    let escaped = word.reduce(into: "") { text, character in
      text += ("\"`$\\".contains(character) ? "\\" : "") + String(character)
    }
    return "\"\(escaped.replacing("\\", with: "\\\\"))\""
  }
}

/// Where a user's desktop keeps such things (XDG Base Directory Specification 0.8).
package struct Desktop: Hashable, Sendable {
  /// The folder of desktop files.
  package let applications: URL
  private let mimeApps: URL
  static let defaults = "[Default Applications]"

  /// The desktop that an environment describes; nil without a home.
  package init?(environment: [String: String]) {
    func folder(_ name: String, else path: String) -> URL? {
      if let value = environment[name], value.hasPrefix("/") {
        return URL(filePath: value, directoryHint: .isDirectory)
      }
      return environment["HOME"].map { URL(filePath: $0, directoryHint: .isDirectory).appending(path: path) }
    }
    guard let data = folder("XDG_DATA_HOME", else: ".local/share"),
      let config = folder("XDG_CONFIG_HOME", else: ".config")
    else { return nil }
    applications = data.appending(path: "applications", directoryHint: .isDirectory)
    mimeApps = config.appending(path: "mimeapps.list")
  }

  fileprivate func changeDefaults(_ change: ([String]) -> [String]) throws {
    let old = (try? String(contentsOf: mimeApps, encoding: .utf8)) ?? ""
    let lines = old.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
    let new = change(old.isEmpty ? [] : lines).joined(separator: "\n")
    guard new != old else { return }
    try FileManager.default.createDirectory(
      at: mimeApps.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data((new.hasSuffix("\n") ? new : new + "\n").utf8).write(to: mimeApps, options: .atomic)
  }
}
