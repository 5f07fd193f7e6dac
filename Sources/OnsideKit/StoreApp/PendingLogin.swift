import Foundation
import Synchronization

/// A login that the store's app was asked for: what it takes to use its answer, also after the process that asked has
/// ended.
struct PendingLogin: Hashable, Sendable, Codable {
  var store: URL
  var app: String
  var redirect: URL
  var state: String
  /// Nil on disk where it is sealed.
  var verifier: CodeVerifier?
  var sealedVerifier: Data?
  /// When it is too late for an answer, by this device's clock.
  var expiry: Date

  init(store: URL, app: String, redirect: URL, state: String, verifier: CodeVerifier, expiry: Date) {
    self.store = store
    self.app = app
    self.redirect = redirect
    self.state = state
    self.verifier = verifier
    self.expiry = expiry
  }

  /// Whether an address answers it, whatever it says.
  func isAnswered(by answer: URL) -> Bool {
    ExpectedRedirect(to: redirect, state: state).accepts(answer)
  }

  /// What its verifier is sealed for.
  var context: String { "login \(state) \(redirect.absoluteString)" }
}

/// The pending login on disk, `pending-login.json`: one for all processes that share the folder.
///
/// The process that waits for the answer holds `pending-login.lock`. While it lives the answer is its own; when it has
/// ended, however that came about, the first process that gets the answer takes the lock and spends the login.
final class PendingLoginFile: Sendable {
  private let folder: DurableFolder
  private let seal: TokenSeal
  private let now: @Sendable () -> Date
  /// The state of the login that this process kept last.
  private let own = Mutex<String?>(nil)

  private static let file = "pending-login.json"
  private static let lock = "pending-login.lock"

  init(seal: TokenSeal, dependencies: Dependencies) {
    folder = DurableFolder(url: dependencies.storageFolder)
    self.seal = seal
    now = dependencies.now
  }

  /// Keeps a login, in the place of one whose process has ended; what is returned is to be held while it is waited for.
  /// Throws when another process waits for one, or when it cannot be sealed now.
  func keep(_ login: PendingLogin) throws -> any Sendable {
    try folder.make()
    let lock = try folder.lock(Self.lock)
    var stored = login
    if let sealed = try seal.sealed(login.verifier, for: login.context) {
      (stored.verifier, stored.sealedVerifier) = (nil, sealed)
    }
    try folder.write([(name: Self.file, content: JSONEncoder().encode(stored))])
    own.withLock { $0 = login.state }
    return lock
  }

  /// The login that an address answers; nil when there is none, or it is too late.
  func read(answeredBy answer: URL, store: URL, app: String) -> PendingLogin? {
    guard let login = onDisk, login.store == store, login.app == app, login.isAnswered(by: answer),
      now() < login.expiry
    else { return nil }
    return login
  }

  /// The same, which is then spent. Throws while another process waits for it.
  func take(answeredBy answer: URL, store: URL, app: String) throws -> PendingLogin? {
    let lock = try folder.lock(Self.lock)
    defer { withExtendedLifetime(lock) {} }
    guard var login = read(answeredBy: answer, store: store, app: app) else { return nil }
    if let sealed = login.sealedVerifier { login.verifier = try seal.open(sealed, for: login.context) }
    try folder.erase([Self.file])
    return login
  }

  /// Forgets it, unless another process waits for it.
  func erase() {
    let lock = try? folder.lock(Self.lock)
    defer { withExtendedLifetime(lock) {} }
    let mine = own.withLock { $0 }
    guard lock != nil || (mine != nil && onDisk?.state == mine) else { return }
    try? folder.erase([Self.file, Self.file + DurableFolder.temporarySuffix])
  }

  private var onDisk: PendingLogin? {
    guard let data = try? folder.read(Self.file) else { return nil }
    return try? JSONDecoder().decode(PendingLogin.self, from: data)
  }
}
