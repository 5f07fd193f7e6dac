import Foundation

/// The database file as the file system sees it.
struct FileChecks {
  /// Less room than this on the disk is a fault: 256 MiB.
  private static let leastRoom: Int64 = 256 << 20

  let path: String

  func findings() -> [Finding] { [file, folder, room].compactMap(\.self) }

  private var file: Finding {
    guard let attributes = try? FileManager.default.attributesOfItem(atPath: path),
      let mode = attributes[.posixPermissions] as? Int
    else {
      return .bad(
        "file", "expected the store's database at \(path), but there is no such file",
        remedy: "Go to the folder where the store was started, or say where it is with --database.")
    }
    let shown = String(mode & 0o777, radix: 8)
    guard mode & 0o077 == 0 else {
      return .bad(
        "file", "\(path) has mode \(shown): others on this machine can get at accounts and keys",
        remedy: "chmod 600 \(path)")
    }
    return .good("file", "\(path), mode \(shown)")
  }

  private var folder: Finding {
    let folder = URL(filePath: path).deletingLastPathComponent().path()
    guard FileManager.default.isWritableFile(atPath: folder) else {
      return .bad(
        "folder", "this user cannot write to \(folder), where SQLite keeps its log beside the database",
        remedy: "Run the store as the folder's owner, or give its user the folder.")
    }
    return .good("folder", folder)
  }

  private var room: Finding? {
    let folder = URL(filePath: path).deletingLastPathComponent().path()
    guard let attributes = try? FileManager.default.attributesOfFileSystem(forPath: folder),
      let free = (attributes[.systemFreeSize] as? NSNumber)?.int64Value
    else { return nil }
    let shown = "\(free >> 20) MiB free"
    guard free >= Self.leastRoom else {
      return .bad("disk", shown, remedy: "Make room: below that a store soon answers 503 storage_full.")
    }
    return .good("disk", shown)
  }
}
