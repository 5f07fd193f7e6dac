import Foundation
import OnsideStore

/// A database that is missing or empty although its guard file is there: the data of the store is elsewhere.
struct MissingDatabase {
  let configuration: ServeConfiguration
  /// Whether a new store takes the place of the one before.
  let makesNew: Bool

  private var guardFile: String { configuration.vaultGuard }

  /// Throws if the database file is missing or empty beside its guard file; with `--new` sets the guard file aside.
  ///
  /// - Returns: whether a server's database without tables gets them.
  func check() throws -> Bool {
    guard FileManager.default.fileExists(atPath: guardFile) else { return true }
    guard let path = configuration.database.path else {
      if makesNew { try setGuardAside() }
      return makesNew
    }
    let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? Int ?? 0
    guard size == 0 else { return true }
    guard makesNew else {
      throw CommandFailure(
        """
        expected the store's database at \(path), but it is missing or empty, and its guard file \(guardFile) is there. \
        Put the database back, or restore a copy with onside restore; onside serve --new makes a new store.
        """)
    }
    try setGuardAside()
    return true
  }

  private func setGuardAside() throws {
    let aside = "\(guardFile).\(Int(Date().timeIntervalSince1970))"
    do { try FileManager.default.moveItem(atPath: guardFile, toPath: aside) } catch {
      throw CommandFailure("expected to rename \(guardFile): \(error.localizedDescription)")
    }
  }
}
