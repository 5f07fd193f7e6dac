import Foundation
import Glibc
import OnsideStore
import StoreBase

/// Opens the store's database. A missing or empty one becomes a new store only without a guard file, which shows that
/// there was a store with this database.
struct DatabaseOpening {
  private let location: DatabaseLocation
  private let guardFile: String

  init(_ location: DatabaseLocation, guardFile: String) {
    self.location = location
    self.guardFile = guardFile
  }

  private func hasGuardFile() throws -> Bool {
    var information = stat()
    if lstat(guardFile, &information) == 0 { return true }
    guard [ENOENT, ENOTDIR].contains(errno) else {
      throw CommandFailure(
        "expected to read the folder of the guard file \(guardFile): \(String(cString: strerror(errno)))")
    }
    return false
  }

  /// Makes a new store in a missing or empty database, and renames the guard file. Throws if there is a store.
  func openNew(now: Date) async throws -> any Database {
    let hasGuardFile = try hasGuardFile()
    try await requireNone(now: now)
    let database = try location.open(now: now)
    if hasGuardFile {
      try FileManager.default.moveItem(atPath: guardFile, toPath: "\(guardFile).\(Int(now.timeIntervalSince1970))")
    }
    return database
  }

  /// Opens the database; throws if it would become a new store beside the guard file.
  func open(
    now: Date, olderSchema: OlderSchema = .migrate, makesTables: Bool = true
  ) throws -> any Database {
    let hasGuardFile = try hasGuardFile()
    do {
      return try location.open(now: now, olderSchema: olderSchema, makesTables: makesTables && !hasGuardFile)
    } catch DatabaseOpenError.empty(let path) where hasGuardFile {
      throw CommandFailure(
        """
        expected the store's database at \(path), but it is missing or has no tables, and the guard file \(guardFile) \
        shows that there was one. Put the database back, or restore a backup with onside restore. \
        If another store has this guard file, give this one its own with vault.guard. \
        To start a new store in its place, run onside serve --new, which renames the guard file.
        """)
    }
  }

  private func requireNone(now: Date) async throws {
    do {
      let database = try location.open(now: now, olderSchema: .refuse, makesTables: false)
      await database.close()
    } catch DatabaseOpenError.empty {
      return
    }
    throw CommandFailure("expected no store at \(location), but there is one. Start it without --new.")
  }
}
