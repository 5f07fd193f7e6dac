import Crypto
import Foundation
import Logging
import OnsideAPI

/// The identity of this installation: made once, kept in `installation.json` of the storage folder.
actor Installation {
  private let folder: DurableFolder
  private let dependencies: Dependencies
  private var known: Record?

  init(_ dependencies: Dependencies) {
    self.dependencies = dependencies
    folder = DurableFolder(url: dependencies.storageFolder, files: dependencies.files)
  }

  private struct Record: Codable {
    var installation: InstallationID
    /// 16 random bytes that never leave the device. Files of older versions have none.
    var deviceKey: Data?
  }

  private static let file = "installation.json"

  /// The identifier. When the disk does not take it, it lasts as long as the process.
  func id() async -> InstallationID { await record().installation }

  /// The device identifier that the store gets for an account: the same over restarts and logins, a different one for
  /// each account. It cannot be linked to the installation's identifier, which events carry, without the device key.
  func device(of account: AccountID) async -> UUID {
    let key = SymmetricKey(data: await record().deviceKey ?? Data())
    return .version8(HMAC<SHA256>.authenticationCode(for: Data("onside-device\n\(account)".utf8), using: key))
  }

  private func record() async -> Record {
    if let known { return known }
    do {
      known = try await stored()
    } catch {
      dependencies.logger.error("The installation's identifier cannot be kept: \(error)")
    }
    let record = known ?? complete(read())
    known = record
    return record
  }

  /// The record on disk, made when it is missing. Several processes may make it at the same time.
  private func stored() async throws -> Record {
    if let record = read(), record.deviceKey != nil { return record }
    try folder.make()
    // A folder that only exists in memory has no locks, and no other process either.
    let lock = try? await FileLock.take(
      folder.url.appending(path: "installation.lock"), now: dependencies.now, sleep: dependencies.sleep)
    defer { withExtendedLifetime(lock) {} }
    let found = read()
    let record = complete(found)
    if found?.deviceKey == nil {
      try folder.write([(name: Self.file, content: JSONEncoder().encode(record))])
    }
    return record
  }

  private func read() -> Record? {
    guard let data = try? folder.read(Self.file) else { return nil }
    return try? JSONDecoder().decode(Record.self, from: data)
  }

  /// The record with whatever it does not have yet.
  private func complete(_ record: Record?) -> Record {
    if let known { return known }
    var record =
      record
      ?? Record(installation: InstallationID(.version7(at: dependencies.now(), random: dependencies.randomBytes(10))))
    record.deviceKey = record.deviceKey ?? Data(dependencies.randomBytes(16))
    return record
  }
}
