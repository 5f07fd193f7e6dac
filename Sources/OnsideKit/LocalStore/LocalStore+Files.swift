public import Foundation
public import Logging
package import OnsideCommerce

extension LocalStore {
  /// A store for a `.storekit` file by its name without the extension. Its purchases are kept in ``storageFolder``,
  /// which it logs.
  ///
  /// The file is looked for in the folder that `ONSIDE_STOREKIT_FOLDER` names, in the app's bundle and in the current
  /// folder, in this order. It is read and parsed before this returns.
  /// - Parameters:
  ///   - name: for example `Example` for `Example.storekit`.
  ///   - logger: receives the parts of the file that are left out; standard error unless given.
  /// - Throws: an error with the path, the line and what was expected there, or the places looked at.
  public convenience init(named name: String, logger: Logger? = nil) throws(LocalStoreError) {
    let file = try StoreKitFiles.process.file(named: name)
    try self.init(contentsOf: file, logger: logger)
    let place = storageFolder?.path(percentEncoded: false) ?? ""
    dependencies.logger.info("\(file.path(percentEncoded: false)): purchases are kept in \(place)")
  }

  /// A store for a `.storekit` file. Its purchases are kept.
  /// - Parameters:
  ///   - file: the file.
  ///   - storageFolder: where purchases and the login are kept; a folder of the file's own, by its real path, among the
  ///     app's own data unless given.
  ///   - logger: receives the parts of the file that are left out; standard error unless given.
  /// - Throws: an error with the path, the line and what was expected there.
  public convenience init(
    contentsOf file: URL, storageFolder: URL? = nil, logger: Logger? = nil
  ) throws(LocalStoreError) {
    let configuration = try Self.configuration(in: file)
    let folder: URL
    if let storageFolder { folder = storageFolder } else { folder = try StoreKitFiles.process.storageFolder(for: file) }
    let dependencies = Dependencies.live(
      storageFolder: folder, logger: logger ?? Dependencies.defaultLogger(.info))
    self.init(configuration, dependencies: dependencies, keepsPurchases: true)
  }

  /// Forgets everything that is kept for a `.storekit` file: purchases, the login, and what the SDK has not finished.
  /// Call it before a store is made of the file; ``reset()`` is for a store that runs.
  /// - Throws: an error with the folder, when another process uses it or it cannot be emptied.
  public static func eraseStorage(for file: URL) throws(LocalStoreError) {
    let folder = try StoreKitFiles.process.storageFolder(for: file)
    let path = folder.path(percentEncoded: false)
    do { try LocalDisk.erase(folder) } catch is FileLock.Busy {
      throw LocalStoreError("\(path): purchases cannot be forgotten while another process uses them; end it first")
    } catch {
      throw LocalStoreError("\(path): expected a folder that can be emptied, to forget purchases: \(error)")
    }
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
