import Crypto
import Foundation
import Logging
import Synchronization

/// Seals on disk what proves the session, with a key that lies in the system's place for secrets; where the system had
/// none at the first start, everything lies open in files that only their owner can read.
///
/// The session file itself stays where it is, so that who is signed in is known without a word of that place (ACC-16),
/// and processes share it under its locks (ACC-15). The key is asked for once in a process, when it is first needed.
package final class TokenSeal: Sendable {
  /// What the key is wanted for.
  package enum Need: Sendable {
    /// To open something; the user may be asked once to unlock the place.
    case open
    /// The same, with nobody to ask.
    case openSilently
    /// To seal something; a key that is missing is made.
    case seal
  }

  /// Why something cannot be sealed or opened.
  package enum Failure: Error, Hashable, Sendable {
    /// Not now: the place is missing, locked, or does not answer.
    case unavailable
    /// Never: the place has no such key any more, or it is another one.
    case lost
  }

  fileprivate enum Key: Sendable {
    case unknown
    /// Nothing is sealed.
    case none
    /// The place answers, and has none.
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
    // What is not sealed needs nobody to wait.
    guard let record = try? SecretsRecord.read(in: folder) else {
      if dependencies.secrets == nil { state.withLock { $0.key = .none } }
      return
    }
    if record.place == SecretsRecord.file { state.withLock { $0.key = .none } }
  }

  /// Gets the key. Waits for the place for secrets, at most as long as that lets itself be waited for.
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

  /// A session as it may lie on disk. Throws ``Failure/unavailable`` before ``prepare(_:)`` has succeeded.
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

  /// The tokens of a session.
  package func tokens(of session: Session) throws(Failure) -> TokenPair {
    switch session.tokens {
    case .open(let pair): return pair
    case .sealed(let box): return try open(box, for: session.context)
    }
  }

  /// Seals anything else with the key, for a purpose that has to be named again to open it; nil when nothing is sealed.
  func sealed(_ value: some Encodable, for context: String) throws(Failure) -> Data? {
    switch state.withLock({ $0.key }) {
    case .none: return nil
    case .unknown, .missing: throw .unavailable
    case .known(let key): return try seal(value, with: key, for: context)
    }
  }

  /// Opens what was sealed for a purpose.
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
  /// Looks where the key lies, and chooses at the first start. Processes take turns.
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
      tell("The login cannot be used for now, and nobody is logged out: \(error)")
      return .failure(.unavailable)
    }
  }

  /// The first start: the system's place if it takes a secret now, else files.
  private func choose() async throws -> Key {
    let installation = Base64URL.encode(dependencies.randomBytes(16))
    guard let secrets = dependencies.secrets else { return .none }
    let key: SymmetricKey
    do {
      try await secrets.check()
      key = try await makeKey(installation, secrets)
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
    return .known(try await makeKey(record.installation, secrets))
  }

  private static let keyLength = 32

  private func makeKey(_ installation: String, _ secrets: any SecretStore) async throws -> SymmetricKey {
    for other in try await secrets.installations(of: owner).subtracting([installation]).sorted() {
      try await secrets.remove(other, of: owner)
      logger.notice("Removed a key from the \(secrets.name) that an earlier installation in this folder had left over")
    }
    let bytes = dependencies.randomBytes(Self.keyLength)
    try await secrets.keep(bytes, of: installation, owner)
    return SymmetricKey(data: bytes)
  }

  /// Says each thing once in a row.
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
  /// What its tokens are sealed for: they cannot be put under another store's name.
  fileprivate var context: String { "\(store.absoluteString) \(app)" }
}
