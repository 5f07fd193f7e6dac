import Foundation
import StoreBase

/// The vault's guard file: a small file apart from the database that holds the vault's newest generation. A restored
/// backup of the database does not restore this file, so that the store detects the older database. Every process of
/// the store raises the generation in the file before it answers. Processes of one machine share a file; where a
/// database server serves several machines, each of them has one (``MachineVaultGuard``).
struct VaultGuardFile: Sendable {
  let path: String

  /// The generation in the file; nil when there is no file, or it is no guard file. A file that cannot be read now is
  /// an error: its generation is unknown.
  func read() throws(VaultGuardUnreadable) -> VaultGeneration? {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    if descriptor < 0, errno == ENOENT { return nil }
    guard descriptor >= 0 else { throw unreadable }
    defer { close(descriptor) }
    // Another process may be writing.
    guard flock(descriptor, LOCK_SH) == 0, let text = text(descriptor) else { throw unreadable }
    return VaultGeneration(guardText: text)
  }

  private var unreadable: VaultGuardUnreadable {
    VaultGuardUnreadable(path: path, reason: String(cString: strerror(errno)))
  }

  /// The file's text, cut at 256 bytes, which is longer than any guard file; nil when it cannot be read.
  private func text(_ descriptor: Int32) -> String? {
    var bytes = [UInt8](repeating: 0, count: 256)
    let count = pread(descriptor, &bytes, bytes.count, 0)
    return count < 0 ? nil : String(decoding: bytes[..<count], as: UTF8.self)
  }

  /// Raises the file to a generation; returns when the file has it, or a later one, and is flushed. The file is written
  /// in place and within one sector. A lock keeps concurrent processes from overwriting a newer generation with an
  /// older one.
  func raise(to generation: VaultGeneration) throws { try change { generation.raised(over: $0) } }

  /// The same for a guard of several machines, whose mark may be new: it takes the place of what was read. When
  /// another process has given the file another mark since, that mark stays, and the generation counts as seen. Returns
  /// what the file holds then.
  func raise(to generation: VaultGeneration, from read: VaultGeneration?) throws -> VaultGeneration {
    try change { kept in
      try requireOwn(kept, of: generation.database)
      guard let kept, kept.mark != generation.mark, kept.mark != read?.mark else {
        return generation.raised(over: kept)
      }
      let seen = [kept.seen, generation.seen].compactMap(\.self).max()
      return VaultGeneration(mark: kept.mark, number: kept.number, seen: seen, database: kept.database)
    }
  }

  /// Notes what a guard has seen, unless another process has given the file another mark since it was read. Returns
  /// what the file holds then.
  func note(_ generation: VaultGeneration) throws -> VaultGeneration {
    try change { kept in
      guard let kept, kept.mark != generation.mark else { return generation.raised(over: kept) }
      return kept
    }
  }

  /// Refuses what the file says when it belongs to another database.
  func requireOwn(_ kept: VaultGeneration?, of database: String?) throws(VaultGuardRefusal) {
    if let owner = kept?.owner, let database, owner != database { throw .foreign(path: path) }
  }

  /// Replaces the file's content, under its lock.
  @discardableResult
  private func change(_ change: (VaultGeneration?) throws -> VaultGeneration) throws -> VaultGeneration {
    let isNew = !FileManager.default.fileExists(atPath: path)
    let descriptor = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0o600)
    try check(descriptor)
    defer { close(descriptor) }
    try check(flock(descriptor, LOCK_EX))
    guard let old = text(descriptor) else { throw failure }
    let kept = VaultGeneration(guardText: old)
    let newest = try change(kept)
    if newest == kept { return newest }
    let text = Array(newest.guardText.utf8)
    guard pwrite(descriptor, text, text.count, 0) == text.count else { throw failure }
    // Truncating a file to its own length would add its inode to the flush.
    if old.utf8.count > text.count { try check(ftruncate(descriptor, text.count)) }
    try check(isNew ? fsync(descriptor) : fdatasync(descriptor))
    if isNew { try synchronizeFolder() }
    return newest
  }

  private func synchronizeFolder() throws {
    let folder = open(URL(filePath: path).deletingLastPathComponent().path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    try check(folder)
    defer { close(folder) }
    try check(fsync(folder))
  }

  private func check(_ code: Int32) throws { if code < 0 { throw failure } }

  private var failure: StorageError {
    errno == ENOSPC ? .full : .guardFile("\(path): \(String(cString: strerror(errno)))")
  }
}

/// The guard file exists and cannot be read, so that the store cannot know whether an older database was restored.
struct VaultGuardUnreadable: Error, Equatable, CustomStringConvertible {
  let path: String
  let reason: String

  var description: String {
    """
    expected to read the vault's guard file \(path), but: \(reason). Nothing was changed. Mend its rights or its disk; \
    only if it is lost for good remove it, and every wallet has one try to enrol anew.
    """
  }
}

/// Why a guard file that can be read does not count for now.
enum VaultGuardRefusal: Error, Equatable, CustomStringConvertible {
  /// It is another database's.
  case foreign(path: String)
  /// It proves nothing of this state of the database: another guard has found a loss since, or has taken its place.
  case unproven(path: String)

  var description: String {
    switch self {
    case .foreign(let path):
      """
      expected \(path) to be the guard file of this database's vault, but it belongs to another database. Nothing was \
      changed. Give this one a file of its own (vault.guard); remove that one only if its database is gone.
      """
    case .unproven(let path): "the guard file \(path) does not count until another machine has confirmed it"
    }
  }
}

extension VaultGeneration {
  /// The mark of the database whose guard file this is; nil when it does not say.
  var owner: String? { database ?? (seen == nil ? mark : nil) }

  /// The newer numbers of this and of what the file holds; what it holds of another mark does not count.
  func raised(over kept: VaultGeneration?) -> VaultGeneration {
    guard let kept, kept.mark == mark else { return self }
    let seen = [seen, kept.seen].compactMap(\.self).max()
    return VaultGeneration(
      mark: mark, number: max(number, kept.number), seen: seen, database: database ?? kept.database)
  }

  /// The file's text, `onside-vault-guard-1 MARK NUMBER`, and `SEEN` and `DATABASE` where there are. The numbers are
  /// always of the same length.
  fileprivate var guardText: String {
    let numbers = [number, seen].compactMap(\.self).map { number in
      let digits = String(number)
      return String(repeating: "0", count: 20 - digits.count) + digits
    }
    let fields = [mark] + numbers + [seen == nil ? nil : database].compactMap(\.self)
    return "onside-vault-guard-1 \(fields.joined(separator: " "))\n"
  }

  fileprivate init?(guardText: String) {
    let fields = guardText.dropLast().split(separator: " ", omittingEmptySubsequences: false)
    guard guardText.hasSuffix("\n"), (3...5).contains(fields.count), fields[0] == "onside-vault-guard-1" else {
      return nil
    }
    let numbers = fields[2...].prefix(2).compactMap { Int64($0) }
    guard numbers.count == min(fields.count - 2, 2) else { return nil }
    self.init(
      mark: String(fields[1]), number: numbers[0], seen: numbers.dropFirst().first,
      database: fields.count == 5 ? String(fields[4]) : nil)
  }
}
