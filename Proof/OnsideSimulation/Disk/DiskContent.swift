import DeterministicRandom
import Foundation

/// What is on a disk: as processes see it, and as it would be after a power cut.
struct DiskContent: Sendable {
  /// A change to what a folder holds that is not flushed.
  private enum Change {
    case set(String, Data)
    case rename(String, to: String)
    case remove(String)
  }

  private(set) var files: [String: Data] = [:]
  private var durable: [String: Data] = [:]
  private var unflushed: [String: [Change]] = [:]

  func names(in folder: String) -> [String] {
    files.keys.filter { Self.folder(of: $0) == folder }.map { String($0.dropFirst(folder.count + 1)) }.sorted()
  }

  mutating func write(_ content: Data, to file: String) { note(.set(file, content), in: file) }

  mutating func rename(_ file: String, to newName: String) { note(.rename(file, to: newName), in: newName) }

  mutating func remove(_ file: String) { note(.remove(file), in: file) }

  mutating func flush(_ folder: String) {
    for change in unflushed.removeValue(forKey: folder) ?? [] { Self.apply(change, to: &durable) }
  }

  /// The power goes: of what each folder had not flushed, some first part has reached the disk, the last write of it
  /// perhaps torn.
  mutating func losePower(_ random: inout SeededRandom) {
    for folder in unflushed.keys.sorted() {
      let changes = unflushed[folder] ?? []
      for change in changes.prefix(random.pick(0...changes.count)) { Self.apply(change, to: &durable) }
      if case .set(let file, let content)? = changes.last, durable[file] == content, random.chance(50) {
        durable[file] = content.prefix(random.pick(0...content.count))
      }
    }
    unflushed = [:]
    files = durable
  }

  private mutating func note(_ change: Change, in file: String) {
    Self.apply(change, to: &files)
    unflushed[Self.folder(of: file), default: []].append(change)
  }

  private static func apply(_ change: Change, to files: inout [String: Data]) {
    switch change {
    case .set(let file, let content): files[file] = content
    case .rename(let file, let newName): files[newName] = files.removeValue(forKey: file) ?? files[newName]
    case .remove(let file): files[file] = nil
    }
  }

  private static func folder(of file: String) -> String {
    file.utf8.lastIndex(of: UInt8(ascii: "/")).map { String(file[..<$0]) } ?? ""
  }
}
