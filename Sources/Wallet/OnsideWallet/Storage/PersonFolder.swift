public import Foundation

/// Where programs keep a person's files: by the environment (XDG Base Directory Specification), and never by the
/// password file while `HOME` says something, so that a script with a `HOME` of its own has a wallet of its own.
public enum PersonFolder: Sendable {
  /// What shall outlive updates and reinstallations.
  case data
  /// What belongs to this device.
  case state

  /// `XDG_DATA_HOME` or `XDG_STATE_HOME` where that is an absolute path, else the folder in `HOME`; Application Support
  /// on Apple systems, where `HOME` is the container's.
  /// - Throws: ``WalletError/Kind/storage`` when `HOME` is set to no absolute path.
  public func url(in environment: [String: String]) throws(WalletError) -> URL {
    #if canImport(Darwin)
      if let folder = FileManager.default.urls(for: .applicationSupportDirectory, in: .userDomainMask).first {
        return folder
      }
    #endif
    if let folder = environment[variable], folder.hasPrefix("/") { return Self.folder(folder) }
    guard let home = environment["HOME"] else {
      return FileManager.default.homeDirectoryForCurrentUser.appending(path: path)
    }
    guard home.hasPrefix("/") else {
      throw .storage("expected an absolute path in HOME, got \"\(home)\": set it, or name the wallet's folder")
    }
    return Self.folder(home).appending(path: path)
  }

  private var variable: String { self == .data ? "XDG_DATA_HOME" : "XDG_STATE_HOME" }
  private var path: String { self == .data ? ".local/share" : ".local/state" }

  private static func folder(_ path: String) -> URL { URL(filePath: path, directoryHint: .isDirectory) }
}
