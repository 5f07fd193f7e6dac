public import Foundation
public import Logging
package import OnsideCommerce

extension LocalStore {
  /// A store for a `.storekit` file by its name without the extension. Its purchases are kept in the app's own folder.
  ///
  /// The file is looked for in the folder that `ONSIDE_STOREKIT_FOLDER` names, in the app's bundle and in the current
  /// folder, in this order. It is read and parsed before this returns.
  /// - Parameters:
  ///   - name: for example `Example` for `Example.storekit`.
  ///   - logger: where it tells what it leaves out of the file; standard error unless given.
  /// - Throws: an error with the path, the line and what was expected there, or the places looked at.
  public convenience init(named name: String, logger: Logger? = nil) throws(LocalStoreError) {
    let file = try StoreKitFiles.process.file(named: name)
    try self.init(contentsOf: file, logger: logger)
  }

  /// A store for a `.storekit` file. Its purchases are kept.
  /// - Parameters:
  ///   - file: the file.
  ///   - storageFolder: where purchases and the login are kept; a folder of the file's name among the app's own data
  ///     unless given.
  ///   - logger: where it tells what it leaves out of the file; standard error unless given.
  /// - Throws: an error with the path, the line and what was expected there.
  public convenience init(
    contentsOf file: URL, storageFolder: URL? = nil, logger: Logger? = nil
  ) throws(LocalStoreError) {
    let configuration = try Self.configuration(in: file)
    let folder: URL
    if let storageFolder { folder = storageFolder } else { folder = try StoreKitFiles.process.storageFolder(for: file) }
    let dependencies = Dependencies.live(
      storageFolder: folder, logger: logger ?? Logger(label: "onside") { StreamLogHandler.standardError(label: $0) })
    self.init(configuration, dependencies: dependencies, keepsPurchases: true)
  }

  /// Reads a `.storekit` file.
  package static func configuration(in file: URL) throws(LocalStoreError) -> StoreKitConfiguration {
    let path = file.path(percentEncoded: false)
    let data: Data
    do { data = try Data(contentsOf: file) } catch {
      throw LocalStoreError(
        "\(path): expected a StoreKit configuration file, got none that can be read (\(error.localizedDescription))")
    }
    do { return try StoreKitConfiguration.decode(data, path: path) } catch { throw LocalStoreError(error.description) }
  }
}

/// Why there is no local store: a file that is missing or broken.
public struct LocalStoreError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The path, the line and column where there is one, what was expected, what came and what to do.
  public let description: String

  init(_ description: String) { self.description = description }
}

/// Where `.storekit` files are, and where what belongs to them is kept.
struct StoreKitFiles {
  /// Folders to look in, best first.
  var folders: [URL]
  /// The app's own folder, if the system has a place for it.
  var dataFolder: URL?

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

  func storageFolder(for file: URL) throws(LocalStoreError) -> URL {
    guard let dataFolder else {
      throw LocalStoreError(
        "ONSIDE_STORAGE_FOLDER is missing: expected an absolute path, since this system has no home folder")
    }
    let name = file.deletingPathExtension().lastPathComponent
    return dataFolder.appending(path: "local/\(name)", directoryHint: .isDirectory)
  }
}
