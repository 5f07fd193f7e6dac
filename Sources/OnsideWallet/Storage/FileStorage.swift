public import Foundation
import Sodium

/// The item as the file `wallet.item` in a folder of its own, which only its owner can read.
public struct FileStorage: WalletStorage {
  private let folder: String
  private let file: DurableFile

  public init(folder: URL) {
    self.folder = folder.path(percentEncoded: false).trimmingSuffix("/")
    file = DurableFile(folder: self.folder, name: "wallet.item", greatestLength: WalletItem.greatestLength)
  }

  public func hasItem() throws -> Bool { try file.exists() }
  public func read() throws -> [UInt8]? { try file.read()?.withBytes(Array.init) }
  public func write(_ item: [UInt8]) throws { try item.withUnsafeBytes { try file.write($0) } }
  public func remove() throws { try file.remove() }

  public func withLock<Result>(_ body: () throws -> Result) throws -> Result {
    try FileManager.default.createPrivateFolder(folder)
    return try WalletLock(path: "\(folder)/wallet.lock").hold(body)
  }
}

/// Device secrets as files of mode 0600. They protect against copies of the item alone; whoever copies the whole disk
/// has them, too.
public struct FileDeviceSecrets: DeviceSecretStore {
  private let folder: String

  /// A folder that is not the item's, so that what copies the one does not copy the other.
  public init(folder: URL) { self.folder = folder.path(percentEncoded: false).trimmingSuffix("/") }

  public var name: String { "file" }

  public func withSecret<Result>(
    of enrolment: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result? {
    try file(enrolment).read()?.withBytes(body)
  }

  public func store(_ secret: UnsafeRawBufferPointer, of enrolment: [UInt8]) throws {
    try FileManager.default.createPrivateFolder(folder)
    try file(enrolment).write(secret)
  }

  public func remove(_ enrolment: [UInt8]) throws { try file(enrolment).remove() }

  private func file(_ enrolment: [UInt8]) -> DurableFile {
    let name = enrolment.map { String(format: "%02x", $0) }.joined()
    return DurableFile(folder: folder, name: "\(name).device", greatestLength: DeviceSecret.length)
  }
}

extension FileManager {
  /// Makes a folder for one person's eyes, with those that lead to it.
  fileprivate func createPrivateFolder(_ folder: String) throws {
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
  fileprivate func trimmingSuffix(_ suffix: String) -> String {
    count > 1 && hasSuffix(suffix) ? String(dropLast(suffix.count)) : self
  }
}
