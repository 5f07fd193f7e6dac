import Foundation
import Logging
import OnsideAPI
import OnsideCommerce
import OnsideVerify

/// The signed list of the logged-in account on disk, with the keys that verify it.
struct EntitlementFile: Sendable {
  /// What is in the file.
  private struct Record: Codable {
    var version = Self.present
    static let present = 2
    /// The app and its store.
    let owner: String
    let account: AccountID
    let list: String
    let keys: String
    let receivedAt: TimeInterval
    let seen: TimeInterval
    let stepsBack: TimeInterval
  }

  private static let name = "entitlements.json"
  private static let lock = "entitlements.lock"

  /// Names app and store: another store, or another app in the same folder, has other entitlements.
  let owner: String
  let app: String
  let folder: DurableFolder
  let logger: Logger

  /// - Parameter configuration: names app and store; nil in local testing.
  init(_ configuration: OnsideConfiguration?, dependencies: Dependencies) {
    app = configuration?.appIdentifier ?? LocalDevice.app
    owner = OnsideClient.fileOwner(configuration)
    folder = DurableFolder(url: dependencies.storageFolder, files: dependencies.files)
    logger = dependencies.logger
  }

  /// The list of an account, verified again; nil when there is none that may be used.
  func read(of account: AccountID) -> (known: KnownEntitlements, proof: EntitlementProof)? {
    guard let record = record(), record.owner == owner,
      record.account.pairwise(in: app) == account.pairwise(in: app)
    else { return nil }
    let proof = EntitlementProof(list: record.list, keys: Data(record.keys.utf8))
    do {
      let list = try proof.verified(for: account, app: app)
      let known = KnownEntitlements(
        list, of: account, receivedAt: Date(timeIntervalSince1970: record.receivedAt),
        seen: Date(timeIntervalSince1970: record.seen), stepsBack: record.stepsBack)
      return (known, proof)
    } catch {
      logger.warning("The list of entitlements on disk cannot be used: \(error)")
      return nil
    }
  }

  /// Keeps a list in place of the one before. Another process that uses the folder may have put a newer one there: that
  /// stays.
  func write(_ known: KnownEntitlements, proof: EntitlementProof, at now: Date) {
    let record = Record(
      owner: owner, account: known.account, list: proof.list, keys: String(decoding: proof.keys, as: UTF8.self),
      receivedAt: known.receivedAt.timeIntervalSince1970, seen: known.seen.timeIntervalSince1970,
      stepsBack: known.stepsBack)
    do {
      try folder.make()
      let lock = try folder.lock(Self.lock)
      defer { withExtendedLifetime(lock) {} }
      if let other = self.record(), other.owner == owner, other.account == known.account,
        other.receivedAt > record.receivedAt, other.receivedAt <= now.timeIntervalSince1970
      {
        return
      }
      try folder.write([(name: Self.name, content: JSONEncoder().encode(record))])
    } catch is FileLock.Busy {
      // The other process writes now.
    } catch {
      logger.error("The list of entitlements cannot be kept for when the store cannot be reached: \(error)")
    }
  }

  /// Deletes the list of an account that has logged out.
  func erase() {
    do {
      // Another app that uses the folder keeps its list.
      if record()?.owner == owner { try folder.erase([Self.name]) }
    } catch { logger.error("The list of entitlements cannot be deleted: \(error)") }
  }

  private func record() -> Record? {
    try? folder.read(Self.name).flatMap { try? JSONDecoder().decode(Record.self, from: $0) }
      .flatMap { $0.version == Record.present ? $0 : nil }
  }
}
