import Foundation
import Logging
import OnsideAPI

/// The identity of this installation: made once, kept in `installation.json` of the storage folder.
actor Installation {
  private let folder: DurableFolder
  private let dependencies: Dependencies
  private var known: InstallationID?

  init(_ dependencies: Dependencies) {
    self.dependencies = dependencies
    folder = DurableFolder(url: dependencies.storageFolder, files: dependencies.files)
  }

  private struct Record: Codable {
    var installation: InstallationID
  }

  private static let file = "installation.json"

  /// The identifier. When the disk does not take it, it lasts as long as the process.
  func id() async -> InstallationID {
    if let known { return known }
    do {
      known = try await stored()
    } catch {
      dependencies.logger.error("The installation's identifier cannot be kept: \(error)")
    }
    let id = known ?? made()
    known = id
    return id
  }

  /// What is on disk, made when nothing is there. Several processes may come for the first time at once.
  private func stored() async throws -> InstallationID {
    if let id = read() { return id }
    try folder.make()
    // A folder that only exists in memory has no locks, and no other process either.
    let lock = try? await FileLock.take(
      folder.url.appending(path: "installation.lock"), now: dependencies.now, sleep: dependencies.sleep)
    defer { withExtendedLifetime(lock) {} }
    if let id = read() { return id }
    let id = made()
    try folder.write([(name: Self.file, content: JSONEncoder().encode(Record(installation: id)))])
    return id
  }

  private func read() -> InstallationID? {
    guard let data = try? folder.read(Self.file) else { return nil }
    return try? JSONDecoder().decode(Record.self, from: data).installation
  }

  private func made() -> InstallationID {
    known ?? InstallationID(UUID.version7(at: dependencies.now(), random: dependencies.randomBytes(10)))
  }
}
