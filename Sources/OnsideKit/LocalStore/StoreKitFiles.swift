import Crypto
import Foundation
import OnsideAPI

/// Where `.storekit` files are, and where what belongs to them is kept.
struct StoreKitFiles {
  /// Folders to look in, best first.
  var folders: [URL]
  /// The app's own folder, if the system has a place for it.
  var dataFolder: URL?
  /// The app's bundle, if it has an identifier and so a `dataFolder` of its own.
  var bundle: URL?

  func file(named name: String) throws(LocalStoreError) -> URL {
    let fileName = name.hasSuffix(".storekit") ? name : name + ".storekit"
    let candidates = folders.map { $0.appending(path: fileName, directoryHint: .notDirectory) }
    if let found = candidates.first(where: { FileManager.default.fileExists(atPath: $0.path(percentEncoded: false)) }) {
      return found
    }
    let places = candidates.map { $0.path(percentEncoded: false) }.joined(separator: ", ")
    throw LocalStoreError(
      "expected a StoreKit configuration file named \(fileName), got none at \(places); add it to the app's bundle, or "
        + "name its folder in ONSIDE_STOREKIT_FOLDER")
  }

  /// A folder for one file: its name, for people, and a hash of its real path, since projects call their files alike.
  func storageFolder(for file: URL) throws(LocalStoreError) -> URL {
    guard let dataFolder else {
      throw LocalStoreError(
        "ONSIDE_STORAGE_FOLDER is missing: expected an absolute path, since this system has no home folder")
    }
    let hash = Hexadecimal.encode(SHA256.hash(data: Data(identity(of: file).utf8)).prefix(8))
    let name = file.deletingPathExtension().lastPathComponent.prefix(60)
    return dataFolder.appending(path: "local/\(name)-\(hash)", directoryHint: .isDirectory)
  }

  /// The file's real path. Within the app's bundle it is the path there: iOS moves the bundle with every installation.
  private func identity(of file: URL) -> String {
    let path = RealPath.of(file)
    guard let bundle = bundle.map(RealPath.of), path.hasPrefix(bundle + "/") else { return path }
    return String(path.dropFirst(bundle.count + 1))
  }
}
