import Foundation
import OnsideAPI
import OnsideCommerce
import TestSupport
import Testing

@testable import OnsideKit

@Suite(.timeLimit(.minutes(5)))
struct SessionFileTests {
  let world = ClientHarness()
  var file: SessionFile { world.sessionFile() }

  func session(_ number: Int) throws -> Session {
    let message = TokenMessage(
      accessToken: "a\(number)", expiresIn: 600, refreshToken: "r\(number)", accountID: SignedIn.alice.accountID,
      country: .netherlands)
    return Session(message, store: try #require(URL(string: "https://store.example")), app: "app", now: world.clock.now)
  }

  @Test("ACC-16: what is stored is read again; the file is its owner's alone")
  func stored() throws {
    try file.write(try session(1))
    let stored = try file.read()
    let expected = try session(1)
    #expect(stored == expected)
    let path = world.folder.appending(path: "session.json").path()
    let attributesOfItem = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
    #expect(attributesOfItem == 0o600)
    let secondAttributesOfItem =
      try FileManager.default.attributesOfItem(atPath: world.folder.path())[.posixPermissions] as? Int
    #expect(secondAttributesOfItem == 0o700)
  }

  @Test("ACC-16: a damaged file counts as no session", arguments: ["", "{", "{}", "[1]", "\u{0}"])
  func damaged(content: String) throws {
    try file.write(try session(1))
    try Data(content.utf8).write(to: world.folder.appending(path: "session.json"))
    let stored = try file.read()
    #expect(stored == nil)
    try file.write(try session(2))
    let secondStored = try file.read()
    let expected = try session(2)
    #expect(secondStored == expected)
  }

  @Test("ACC-13: a logout removes the session and leaves it to be revoked, over restarts")
  func signedOut() throws {
    try file.write(try session(1))
    try file.remove()
    try file.remove()
    let stored = try file.read()
    #expect(stored == nil)
    let left = try file.leftToRevoke()
    let expected = try [session(1)]
    #expect(left.map(\.session) == expected)
    file.revoked(try #require(left.first).name)
    #expect(try file.leftToRevoke().isEmpty)
  }

  @Test("ACC-13: a logout holds over restarts even when the disk has no room for what is to be revoked")
  func signedOutOnFullDisk() throws {
    try file.write(try session(1))
    try Data().write(to: world.folder.appending(path: "signed-out"))
    try file.remove()
    let stored = try file.read()
    #expect(stored == nil)
  }

  @Test("ACC-14: a file that cannot be read is an error, not a logout")
  func unreadable() throws {
    try FileManager.default.createDirectory(
      at: world.folder.appending(path: "session.json"), withIntermediateDirectories: true)
    #expect(throws: (any Error).self) { try file.read() }
  }

  @Test("ACC-13: a new login leaves the one that it replaces to be revoked")
  func replacedLogin() throws {
    try file.write(try session(1))
    try file.write(try session(2))
    let stored = try file.read()
    let expected = try session(2)
    #expect(stored == expected)
    let sessions = try file.leftToRevoke().map(\.session)
    let secondExpected = try [session(1)]
    #expect(sessions == secondExpected)
  }

  @Test("ACC-15: a refresh replaces only the session that it refreshed")
  func compareAndReplace() throws {
    try file.write(try session(1))
    #expect(try file.replace(session(1), with: session(2)))
    #expect(try !file.replace(session(1), with: session(3)))
    let stored = try file.read()
    let expected = try session(2)
    #expect(stored == expected)
    try file.remove(try session(1))
    let secondStored = try file.read()
    let secondExpected = try session(2)
    #expect(secondStored == secondExpected)
    try file.remove()
    #expect(try !file.replace(session(2), with: session(3)))
    let thirdStored = try file.read()
    #expect(thirdStored == nil)
  }

  @Test("ACC-15: one holder at a time has the lock, and a wait for it can be cancelled")
  func lock() async throws {
    try file.write(try session(1))
    let lock = file.refreshLock
    let first = try await FileLock.take(lock, now: { world.clock.now }, sleep: world.clock.sleep)
    let waiting = Task { [clock = world.clock] in
      _ = try await FileLock.take(
        lock, now: { clock.now },
        sleep: { seconds in
          tried.yield()
          try await clock.sleep(seconds)
        })
    }
    for await _ in tries { break }
    waiting.cancel()
    await #expect(throws: CancellationError.self) { try await waiting.value }
    withExtendedLifetime(first) {}
  }

  @Test("ACC-15: a wait for a lock that is never released ends after a minute")
  func busyLock() async throws {
    try file.write(try session(1))
    let first = try await FileLock.take(file.refreshLock, now: { world.clock.now }, sleep: world.clock.sleep)
    let (clock, began) = (world.clock, world.clock.now)
    await #expect(throws: FileLock.Busy.self) {
      try await FileLock.take(file.refreshLock, now: { clock.now }, sleep: clock.advance)
    }
    #expect(abs(clock.now.timeIntervalSince(began) - 60) < 1)
    withExtendedLifetime(first) {}
  }

  @Test("ACC-13: a logout is not undone by another task that reads the file again at that moment")
  func logoutWhileReading() async throws {
    let session = try session(1)
    let vault = SessionVault(file: file, store: session.store, app: session.app, logger: world.log.logger)
    for _ in 0..<300 {
      vault.begin(session)
      async let read = Task.detached { vault.reread() }.value
      async let forgotten: Void = Task.detached { vault.forget() }.value
      _ = await (read, forgotten)
      #expect(vault.current == nil)
    }
  }

  let tries: AsyncStream<Void>
  let tried: AsyncStream<Void>.Continuation
  init() { (tries, tried) = AsyncStream.makeStream() }
}

@Suite(.timeLimit(.minutes(5)))
struct SecretTests {
  @Test("SEC-1: a secret prints, dumps and interpolates as redacted")
  func redacted() throws {
    let token = RefreshToken("hush-hush")
    var dumped = ""
    dump(token, to: &dumped)
    let texts = ["\(token)", String(reflecting: token), String(describing: Optional(token)), dumped, "\([token])"]
    for text in texts { #expect(!text.contains("hush")) }
    let message = TokenMessage(
      accessToken: "hush-1", expiresIn: 1, refreshToken: "hush-2", accountID: SignedIn.alice.accountID,
      country: .netherlands)
    let session = Session(message, store: URL(filePath: "/"), app: "app", now: .distantPast)
    dumped = ""
    dump(session, to: &dumped)
    #expect(!"\(session) \(String(reflecting: session)) \(dumped)".contains("hush"))
  }

  @Test("ACC-9: the challenge is that of RFC 7636, appendix B")
  func challenge() {
    let verifier = CodeVerifier("dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk")
    #expect(verifier.challenge == "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM")
  }
}
