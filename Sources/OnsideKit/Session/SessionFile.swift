package import Foundation

/// The session on disk, shared by every process that uses the same storage folder.
///
/// `session.json` is the session. A logout renames it into `signed-out/`, which at one stroke forgets the login and
/// remembers what is still to be revoked at the store. `session.lock` guards each change; `refresh.lock` is held during
/// a refresh, so that of all processes one asks and the others take over what it got.
package struct SessionFile: Sendable {
  private let folder: URL
  private let randomBytes: @Sendable (Int) -> [UInt8]

  package init(folder: URL, randomBytes: @escaping @Sendable (Int) -> [UInt8]) {
    self.folder = folder
    self.randomBytes = randomBytes
  }

  private var file: URL { folder.appending(path: "session.json") }
  private var lock: URL { folder.appending(path: "session.lock") }
  private var signedOut: URL { folder.appending(path: "signed-out", directoryHint: .isDirectory) }

  /// The lock to hold during a refresh.
  package var refreshLock: URL { folder.appending(path: "refresh.lock") }

  /// The stored session; nil when there is none or it cannot be read.
  package func read() -> Session? {
    (try? Data(contentsOf: file)).flatMap { try? JSONDecoder().decode(Session.self, from: $0) }
  }

  /// Stores a new login; one that it replaces is left to be revoked.
  package func write(_ session: Session) throws {
    try PrivateFile.makeFolder(signedOut)
    try FileLock.locked(lock) {
      try? setAside()
      try store(session)
    }
  }

  /// Changes the stored session if it still is `session` (by its refresh token); answers whether it was.
  package func replace(_ session: Session, with newer: Session) throws -> Bool {
    try FileLock.locked(lock) {
      guard read()?.refreshToken == session.refreshToken else { return false }
      try store(newer)
      return true
    }
  }

  /// Removes the stored session and leaves it to be revoked. With `session` given, only if it still is that one.
  package func remove(_ session: Session? = nil) throws {
    try PrivateFile.makeFolder(signedOut)
    try FileLock.locked(lock) {
      if let session, read()?.refreshToken != session.refreshToken { return }
      try setAside()
    }
  }

  /// Leaves a session that was never stored to be revoked.
  package func setAside(_ session: Session) throws {
    try PrivateFile.makeFolder(signedOut)
    try PrivateFile.replace(asideName(), with: JSONEncoder().encode(session))
  }

  /// The sessions that are still to be revoked, each with its file.
  package func leftToRevoke() -> [(file: URL, session: Session)] {
    let files = (try? FileManager.default.contentsOfDirectory(at: signedOut, includingPropertiesForKeys: nil)) ?? []
    return files.filter { $0.pathExtension == "json" }.compactMap { file in
      guard let data = try? Data(contentsOf: file), let session = try? JSONDecoder().decode(Session.self, from: data)
      else { return nil }
      return (file, session)
    }
  }

  /// Forgets a session that has been revoked.
  package func revoked(_ file: URL) {
    try? FileManager.default.removeItem(at: file)
  }

  private func store(_ session: Session) throws {
    try PrivateFile.makeFolder(folder)
    try PrivateFile.replace(file, with: JSONEncoder().encode(session))
  }

  private func setAside() throws {
    guard FileManager.default.fileExists(atPath: file.path(percentEncoded: false)) else { return }
    try PrivateFile.rename(file, to: asideName())
  }

  private func asideName() -> URL {
    signedOut.appending(path: Base64URL.encode(randomBytes(12)) + ".json")
  }
}
