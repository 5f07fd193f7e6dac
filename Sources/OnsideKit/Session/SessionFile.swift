package import Foundation
import OnsideAPI

/// The session on disk, shared by every process that uses the same storage folder.
///
/// `session.json` is the session. A logout renames it into `signed-out/`, which at one stroke forgets the login and
/// remembers what is still to be revoked at the store. `session.lock` guards each change; `refresh.lock` is held during
/// a refresh, so that of all processes one asks and the others take over what it got.
package struct SessionFile: Sendable {
  private let folder: DurableFolder
  private let randomBytes: @Sendable (Int) -> [UInt8]
  /// Seals what it stores.
  package let seal: TokenSeal

  package init(seal: TokenSeal, dependencies: Dependencies) {
    folder = DurableFolder(url: dependencies.storageFolder)
    randomBytes = dependencies.randomBytes
    self.seal = seal
  }

  private static let file = "session.json"
  private static let signedOut = "signed-out"

  private var lock: URL { folder.url.appending(path: "session.lock") }

  /// The lock to hold during a refresh.
  package var refreshLock: URL { folder.url.appending(path: "refresh.lock") }

  /// The stored session; nil when there is none or it makes no sense. Throws when it cannot be read.
  package func read() throws -> Session? {
    try folder.read(Self.file).flatMap { try? JSONDecoder().decode(Session.self, from: $0) }
  }

  /// Stores a new login; one that it replaces is left to be revoked, and does not come back if the new one cannot be
  /// stored.
  package func write(_ session: Session) throws {
    try folder.make()
    try FileLock.locked(lock) {
      try clear()
      try store(session)
    }
  }

  /// Changes the stored session if it still is `session` (by its fingerprint; nil is none); answers whether it was.
  package func replace(_ session: Session?, with newer: Session) throws -> Bool {
    try folder.make()
    return try FileLock.locked(lock) {
      guard try read()?.fingerprint == session?.fingerprint else { return false }
      try store(newer)
      return true
    }
  }

  /// Removes the stored session and leaves it to be revoked. With `session` given, only if it still is that one.
  package func remove(_ session: Session? = nil) throws {
    try folder.make()
    try FileLock.locked(lock) {
      if let session, try read()?.fingerprint != session.fingerprint { return }
      try clear()
    }
  }

  /// Leaves a session that was never stored to be revoked.
  package func setAside(_ session: Session) throws {
    try makeFolders()
    try folder.write([(name: asideName(), content: JSONEncoder().encode(seal.sealed(session)))])
  }

  /// The sessions that are still to be revoked, each with its file's name.
  /// Throws when they cannot be read.
  package func leftToRevoke() throws -> [(name: String, session: Session)] {
    guard let names = try? signedOutFolder.names() else { return [] }
    return try names.filter { $0.hasSuffix(".json") }.map { "\(Self.signedOut)/\($0)" }.compactMap { name in
      try forgotten(name).map { (name, $0) }
    }
  }

  /// A session that is still to be revoked; nil when it was. Throws when it cannot be read.
  package func forgotten(_ name: String) throws -> Session? {
    try folder.read(name).flatMap { try? JSONDecoder().decode(Session.self, from: $0) }
  }

  /// Keeps the newer tokens of a session that is still to be revoked.
  package func keepForgotten(_ session: Session, as name: String) throws {
    let file = String(name.dropFirst(Self.signedOut.count + 1))
    try signedOutFolder.write([(name: file, content: JSONEncoder().encode(seal.sealed(session)))])
  }

  /// Forgets a session that has been revoked.
  package func revoked(_ name: String) {
    try? folder.erase([name])
  }

  private func makeFolders() throws {
    try folder.make()
    try signedOutFolder.make()
  }

  private var signedOutFolder: DurableFolder { DurableFolder(url: folder.url.appending(path: Self.signedOut)) }

  private func store(_ session: Session) throws {
    try folder.write([(name: Self.file, content: JSONEncoder().encode(seal.sealed(session)))])
  }

  /// Moving the session aside may take space, and a full disk must not undo a logout; removing a file takes none.
  private func clear() throws {
    try? setAside()
    try? folder.erase([Self.file + DurableFolder.temporarySuffix])
    try folder.erase([Self.file])
  }

  private func setAside() throws {
    guard try folder.read(Self.file) != nil else { return }
    try makeFolders()
    try folder.setAside(Self.file, as: asideName())
  }

  private func asideName() -> String {
    "\(Self.signedOut)/\(Base64URL.encode(randomBytes(12))).json"
  }
}
