import Crypto
import Foundation
import Glibc
import OnsideWallet
import Stellar

/// What is not secret and must be known before the PIN is asked: `wallet.json` beside the item.
struct WalletProfile: Codable {
  var vault: URL?
  var network: String
  /// Where new device secrets go; a file, when it is not said.
  var deviceSecret: DeviceSecretPlace?

  var stellarNetwork: Network { Network(passphrase: network) }

  /// The profile of the item that is there; nil when there is none.
  static func read(in folder: URL) throws -> WalletProfile? {
    if let new = try NewProfile.read(in: folder), let item = try? FileStorage(folder: folder).read(), new.isFor(item) {
      try new.settle(in: folder)
    }
    return try read(file(in: folder))
  }

  fileprivate static func file(in folder: URL) -> URL { folder.appending(path: "wallet.json") }

  fileprivate static func read<Value: Decodable>(_ file: URL) throws -> Value? {
    guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else { return nil }
    let content = try Data(contentsOf: file)
    do {
      return try JSONDecoder().decode(Value.self, from: content)
    } catch {
      throw CommandFailure("expected vault and network in \(file.path()), got something else: \(error)")
    }
  }
}

/// The profile of an item that is being written: `wallet.new.json`, until it is `wallet.json`. It rules as soon as that
/// item is there: a wallet that is made anew has the former item and profile or the new ones, never a mixture.
private struct NewProfile: Codable {
  private let profile: WalletProfile
  private let item: Data

  init(_ profile: WalletProfile, of item: [UInt8]) {
    self.profile = profile
    self.item = Self.digest(item)
  }

  func isFor(_ item: [UInt8]) -> Bool { self.item == Self.digest(item) }

  private static func digest(_ item: [UInt8]) -> Data { Data(SHA256.hash(data: item)) }

  static func read(in folder: URL) throws -> NewProfile? { try WalletProfile.read(file(in: folder)) }

  func write(in folder: URL) throws { try Self.write(self, to: Self.file(in: folder)) }

  /// Makes it the profile. Another process may do so at the same time.
  func settle(in folder: URL) throws {
    try Self.write(profile, to: WalletProfile.file(in: folder))
    try? FileManager.default.removeItem(at: Self.file(in: folder))
  }

  private static func file(in folder: URL) -> URL { folder.appending(path: "wallet.new.json") }

  /// The content is on disk before it has its name.
  private static func write(_ value: some Encodable, to file: URL) throws {
    let temporary = file.appendingPathExtension(UUID().uuidString)
    try JSONEncoder().encode(value).write(to: temporary)
    do {
      let handle = try FileHandle(forUpdating: temporary)
      try handle.synchronize()
      try handle.close()
      let paths = [temporary, file].map { $0.path(percentEncoded: false) }
      guard rename(paths[0], paths[1]) == 0 else { throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO) }
    } catch {
      try? FileManager.default.removeItem(at: temporary)
      throw error
    }
  }
}

/// The item of a wallet that is made, or made anew, whose profile changes with it.
struct NewWalletStorage: WalletStorage {
  private let item: FileStorage
  private let folder: URL
  private let profile: WalletProfile

  init(folder: URL, profile: WalletProfile) {
    item = FileStorage(folder: folder)
    self.folder = folder
    self.profile = profile
  }

  func hasItem() throws -> Bool { try item.hasItem() }
  func read() throws -> [UInt8]? { try item.read() }
  func remove() throws { try item.remove() }
  func pendingEnrolments() throws -> [[UInt8]] { try item.pendingEnrolments() }
  func setPendingEnrolments(_ enrolments: [[UInt8]]) throws { try item.setPendingEnrolments(enrolments) }
  func withLock<Result>(_ body: () throws -> Result) throws -> Result { try item.withLock(body) }

  func write(_ bytes: [UInt8]) throws {
    let new = NewProfile(profile, of: bytes)
    // Its name is on disk with the item's, at the latest.
    try new.write(in: folder)
    try item.write(bytes)
    try new.settle(in: folder)
  }
}
