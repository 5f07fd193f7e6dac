public import Foundation
import Sodium

/// The item as the file `wallet.item` in a folder of its own, which only its owner can read.
public struct FileStorage: WalletStorage {
  private let folder: String
  private let file: DurableFile
  private let pending: DurableFile
  private static let pendingLimit = 64

  /// An item in a folder of its own, which is made with mode 0700 when it is first written.
  public init(folder: URL) {
    self.folder = folder.path(percentEncoded: false).trimmingSuffix("/")
    file = DurableFile(folder: self.folder, name: "wallet.item", greatestLength: WalletItem.greatestLength)
    pending = DurableFile(
      folder: self.folder, name: "wallet.pending", greatestLength: Self.pendingLimit * Self.enrolmentLength)
  }

  /// Whether the file is there.
  public func hasItem() throws -> Bool { try file.exists() }
  /// The file's content; nil when there is none.
  public func read() throws -> [UInt8]? { try file.read()?.withBytes(Array.init) }
  /// Replaces the file as a whole: it is the old or the new one whenever the power goes.
  public func write(_ item: [UInt8]) throws { try item.withUnsafeBytes { try file.write($0) } }
  /// Deletes the file; nothing happens when there is none.
  public func remove() throws { try file.remove() }

  private static let enrolmentLength = 16

  /// What `wallet.pending` says; nothing when it is not there.
  public func pendingEnrolments() throws -> [[UInt8]] {
    let bytes = try pending.read()?.withBytes(Array.init) ?? []
    return stride(from: 0, to: bytes.count, by: Self.enrolmentLength).map {
      Array(bytes[$0..<min($0 + Self.enrolmentLength, bytes.count)])
    }
  }

  /// Replaces `wallet.pending`; without enrolments it goes.
  public func setPendingEnrolments(_ enrolments: [[UInt8]]) throws {
    guard !enrolments.isEmpty else { return try pending.remove() }
    try Array(enrolments.suffix(Self.pendingLimit).joined()).withUnsafeBytes { try pending.write($0) }
  }

  /// Holds the folder's lock, which all processes share.
  public func withLock<Result>(_ body: () throws -> Result) throws -> Result {
    try FileManager.default.createPrivateFolder(folder)
    return try WalletLock(path: "\(folder)/wallet.lock").hold(body)
  }
}

extension FileManager {
  /// Makes a folder for one person's eyes, with those that lead to it.
  func createPrivateFolder(_ folder: String) throws {
    guard !fileExists(atPath: folder) else { return }
    do {
      try createDirectory(atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch {
      throw WalletError.storage("expected to make the folder \(folder): \(error.localizedDescription)")
    }
    try DurableFile.flush(URL(filePath: folder).deletingLastPathComponent().path(percentEncoded: false))
  }
}

extension String {
  func trimmingSuffix(_ suffix: String) -> String {
    count > 1 && hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
