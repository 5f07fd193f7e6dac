import Crypto
import Foundation
import Logging
import OnsideAPI
import Synchronization

/// Encrypts the session's tokens on disk with a key in the system's secret storage. Where the system had none at the
/// first start, the tokens lie unencrypted in files that only their owner can read.
///
/// The session file stays in the storage folder, so that the signed-in account is known without the secret storage
/// (ACC-16), and processes share it under its locks (ACC-15). The key is read once in a process, at its first use.
package final class TokenSeal: Sendable {
  /// The purpose that the key is needed for.
  package enum Need: Sendable {
    /// To decrypt; the user may be asked once to unlock the secret storage.
    case open
    /// To decrypt without asking the user.
    case openSilently
    /// To encrypt; a missing key is made.
    case seal
  }

  /// Why something cannot be sealed or opened.
  package enum Failure: Error, Hashable, Sendable {
    /// Not now: the secret storage is missing, locked, or does not answer.
    case unavailable
    /// Never: the secret storage has no such key any more, or a different one.
    case lost
  }

  fileprivate enum Key: Sendable {
    case unknown
    /// Nothing is encrypted.
    case none
    /// The secret storage answers, and has no key.
    case missing
    case known(SymmetricKey)
  }

  private struct State {
    var key = Key.unknown
    var hasAsked = false
    var told: String?
    var last: Task<Result<Void, Failure>, Never>?
  }

  private let folder: DurableFolder
  private let owner: SecretOwner
  private let dependencies: Dependencies
  private let state = Mutex(State())

  private var logger: Logger { dependencies.logger }

  /// - Parameter app: the app's identifier.
  package init(app: String, dependencies: Dependencies) {
    folder = DurableFolder(url: dependencies.storageFolder)
    owner = SecretOwner(app: app, folder: dependencies.storageFolder.standardizedFileURL.path)
    self.dependencies = dependencies
    // An unsealed session is read synchronously.
    guard let record = try? SecretsRecord.read(in: folder) else {
      if dependencies.secrets == nil { state.withLock { $0.key = .none } }
      return
    }
    if record.place == SecretsRecord.file { state.withLock { $0.key = .none } }
  }

  /// Gets the key. Waits for the secret storage, whose calls all end.
  package func prepare(_ need: Need) async throws(Failure) {
    let task = state.withLock { state -> Task<Result<Void, Failure>, Never>? in
      if state.key.suffices(for: need) { return nil }
      let task = Task { [last = state.last] in
        _ = await last?.value
        return await self.decide(need)
      }
      state.last = task
      return task
    }
    try await task?.value.get()
  }

  /// The session with encrypted tokens, as it is written to disk. Throws ``Failure/unavailable`` before
  /// ``prepare(_:)`` has succeeded.
  package func sealed(_ session: Session) throws(Failure) -> Session {
    guard case .open(let pair) = session.tokens else { return session }
    switch state.withLock({ $0.key }) {
    case .none: return session
    case .unknown, .missing: throw .unavailable
    case .known(let key):
      var session = session
      session.tokens = .sealed(try seal(pair, with: key, for: session.context))
      return session
    }
  }

  /// The decrypted tokens of a session.
  package func tokens(of session: Session) throws(Failure) -> TokenPair {
    switch session.tokens {
    case .open(let pair): return pair
    case .sealed(let box): return try open(box, for: session.context)
    }
  }

  /// Encrypts another value; `context` is authenticated and has to be given again to decrypt it. Nil when nothing is
  /// encrypted.
  func sealed(_ value: some Encodable, for context: String) throws(Failure) -> Data? {
    switch state.withLock({ $0.key }) {
    case .none: return nil
    case .unknown, .missing: throw .unavailable
    case .known(let key): return try seal(value, with: key, for: context)
    }
  }

  /// Decrypts a value that was encrypted with the same context.
  func open<Value: Decodable>(_ box: Data, for context: String) throws(Failure) -> Value {
    switch state.withLock({ $0.key }) {
    case .unknown: throw .unavailable
    case .none, .missing: throw .lost
    case .known(let key):
      guard let sealed = try? AES.GCM.SealedBox(combined: box),
        let data = try? AES.GCM.open(sealed, using: key, authenticating: Data(context.utf8)),
        let value = try? JSONDecoder().decode(Value.self, from: data)
      else { throw .lost }
      return value
    }
  }

  private func seal(_ value: some Encodable, with key: SymmetricKey, for context: String) throws(Failure) -> Data {
    guard let data = try? JSONEncoder().encode(value),
      let nonce = try? AES.GCM.Nonce(data: dependencies.randomBytes(12)),
      let box = try? AES.GCM.seal(data, using: key, nonce: nonce, authenticating: Data(context.utf8)).combined
    else { throw .unavailable }
    return box
  }
}

extension TokenSeal {
  /// Reads the key from its place, which is chosen at the first start. A file lock serialises processes.
  private func decide(_ need: Need) async -> Result<Void, Failure> {
    if state.withLock({ $0.key.suffices(for: need) }) { return .success(()) }
    do {
      try folder.make()
      let lock = try await FileLock.take(
        folder.url.appending(path: "secrets.lock"), now: dependencies.now, sleep: dependencies.sleep)
      defer { withExtendedLifetime(lock) {} }
      let key: Key
      if let record = try SecretsRecord.read(in: folder) {
        key = try await self.key(of: record, need)
      } else {
        key = try await choose()
      }
      state.withLock { $0.key = key }
      return .success(())
    } catch {
      tell("The login cannot be used for now, and the session is kept: \(error)")
      return .failure(.unavailable)
    }
  }

  /// Chooses the key's place at the first start: the system's secret storage if it works now, else files.
  private func choose() async throws -> Key {
    let installation = Base64URL.encode(dependencies.randomBytes(16))
    guard let secrets = dependencies.secrets else { return .none }
    let key: SymmetricKey
    do {
      try await secrets.check()
      key = try await makeKey(installation, in: secrets)
    } catch {
      try SecretsRecord(installation: installation, place: SecretsRecord.file).write(in: folder)
      logger.notice(
        "Logins are kept in files that only their owner can read, from now on: \(secrets.name) was not there (\(error))"
      )
      return .none
    }
    try SecretsRecord(installation: installation, place: secrets.name).write(in: folder)
    logger.notice("Logins are sealed with a key in the \(secrets.name) from now on")
    return .known(key)
  }

  private func key(of record: SecretsRecord, _ need: Need) async throws -> Key {
    guard record.place != SecretsRecord.file else { return .none }
    guard let secrets = dependencies.secrets, secrets.name == record.place else {
      throw SecretStoreFailure("its key lies in the \(record.place), which this program does not look into")
    }
    let mayAsk = state.withLock { state in
      defer { state.hasAsked = state.hasAsked || need == .open }
      return need == .open && !state.hasAsked
    }
    if let bytes = try await secrets.secret(of: record.installation, owner, mayAsk: mayAsk) {
      guard bytes.count == Self.keyLength else { return .missing }
      return .known(SymmetricKey(data: bytes))
    }
    guard need == .seal else { return .missing }
    return .known(try await makeKey(record.installation, in: secrets))
  }

  private static let keyLength = 32

  private func makeKey(_ installation: String, in secrets: any SecretStore) async throws -> SymmetricKey {
    for other in try await secrets.installations(of: owner).subtracting([installation]).sorted() {
      try await secrets.remove(other, of: owner)
      logger.notice("Removed a key from the \(secrets.name) that an earlier installation in this folder had left over")
    }
    let bytes = dependencies.randomBytes(Self.keyLength)
    try await secrets.keep(bytes, of: installation, owner: owner)
    return SymmetricKey(data: bytes)
  }

  /// Logs a message, without direct repetitions.
  private func tell(_ text: String) {
    let isNew = state.withLock { state in
      defer { state.told = text }
      return state.told != text
    }
    if isNew { logger.error("\(text)") }
  }
}

extension TokenSeal.Key {
  fileprivate func suffices(for need: TokenSeal.Need) -> Bool {
    switch self {
    case .unknown: false
    case .missing: need != .seal
    case .none, .known: true
    }
  }
}

extension Session {
  /// The authenticated context of its tokens: they cannot be decrypted as tokens of another store or app.
  fileprivate var context: String { "\(store.absoluteString) \(app)" }
}
