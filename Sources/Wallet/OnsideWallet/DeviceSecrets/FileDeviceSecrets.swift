public import Foundation
import OnsideAPI
import Sodium

/// Device secrets as files of mode 0600. They protect against copies of the item alone; a copy of the whole disk
/// contains them, too.
public struct FileDeviceSecrets: DeviceSecretStore {
  private let folder: SecretFolder

  /// A folder that is not the item's, so that what copies the one does not copy the other.
  public init(folder: URL) { self.folder = SecretFolder(folder) }

  /// Always `file`.
  public func name(of enrolment: [UInt8]) -> String { "file" }

  /// Reads the file into locked memory, and lends that.
  public func withSecret<Result>(
    of enrolment: [UInt8], _ body: (UnsafeRawBufferPointer) throws -> Result
  ) throws -> Result? {
    try file(enrolment).read()?.withBytes(body)
  }

  /// Writes the file with mode 0600, flushed before this returns.
  public func store(_ secret: UnsafeRawBufferPointer, of enrolment: [UInt8]) throws {
    try folder.make()
    try file(enrolment).write(secret)
  }

  /// Deletes the file.
  public func remove(_ enrolment: [UInt8]) throws { try file(enrolment).remove() }

  private func file(_ enrolment: [UInt8]) -> DurableFile {
    folder.file("device", of: enrolment, greatestLength: DeviceSecret.length)
  }
}

/// The folder of the device secrets' files.
struct SecretFolder: Sendable {
  private let path: String

  init(_ folder: URL) { path = folder.path(percentEncoded: false).trimmingSuffix("/") }

  func make() throws { try FileManager.default.createPrivateFolder(path) }

  /// Whose files are there, whole or cut off in the middle.
  func enrolments() throws -> [[UInt8]] {
    guard FileManager.default.fileExists(atPath: path) else { return [] }
    let names = try FileManager.default.contentsOfDirectory(atPath: path).map { $0.prefix { $0 != "." } }
    return Set(names).sorted().compactMap { Hexadecimal.decode($0) }.filter { $0.count == 16 }
  }

  func file(_ kind: String, of enrolment: [UInt8], greatestLength: Int) -> DurableFile {
    DurableFile(folder: path, name: "\(Hexadecimal.encode(enrolment)).\(kind)", greatestLength: greatestLength)
  }
}
