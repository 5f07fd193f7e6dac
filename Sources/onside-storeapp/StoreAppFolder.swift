import Foundation
import OnsideAPI
import OnsideKit

/// The program's own folder: the login's cookies, and which store it is.
struct StoreAppFolder {
  let url: URL

  /// - Parameter path: the folder; `onside-storeapp` in the user's data folder when nil.
  init(_ path: String?, environment: [String: String]) throws {
    if let path {
      url = URL(filePath: path, directoryHint: .isDirectory).absoluteURL
    } else if let data = environment["XDG_DATA_HOME"], data.hasPrefix("/") {
      url = URL(filePath: data, directoryHint: .isDirectory).appending(path: "onside-storeapp")
    } else if let home = environment["HOME"] {
      url = URL(filePath: home, directoryHint: .isDirectory).appending(path: ".local/share/onside-storeapp")
    } else {
      throw StoreAppError("expected HOME or XDG_DATA_HOME in the environment, or --storage FOLDER")
    }
    try FileManager.default.createDirectory(
      at: url, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
  }

  /// The store: as given, else from the environment, else as it was the last time. What is given is kept.
  func store(_ given: String?, environment: [String: String]) throws -> URL {
    let file = url.appending(path: "store")
    let kept = try? String(contentsOf: file, encoding: .utf8)
    guard let text = given ?? environment["ONSIDE_STORE_URL"] ?? kept else {
      throw StoreAppError("expected the store's address: give --store ADDRESS once, or ONSIDE_STORE_URL")
    }
    guard let store = URL(string: text), store.isSecureWebAddress, store.query() == nil, store.fragment() == nil else {
      throw StoreAppError("expected https, or http on this machine, as the store's address, got \"\(text)\"")
    }
    if text != kept { try Data(text.utf8).write(to: file, options: .atomic) }
    return store
  }
}
