import Foundation
import Logging
import OnsideAPI
import OnsideCommerce
import Synchronization
import TestSupport
import Testing

@testable import OnsideKit

/// Logins sealed with a key that lies in the system's place for secrets.
@Suite(.timeLimit(.minutes(5)))
struct TokenSealTests {
  let secrets = SecretStoreDouble()

  func harness(secrets: SecretStoreDouble? = nil, world: ClientHarness = ClientHarness()) throws -> RemoteHarness {
    try RemoteHarness(world: world, secrets: secrets ?? self.secrets, RefreshTests.ok)
  }

  /// A login of a launch before.
  func signIn(_ harness: RemoteHarness, lasting seconds: Int = 600) async throws {
    let file = harness.file
    try await file.seal.prepare(.seal)
    let message = TokenMessage(
      accessToken: "access-1", expiresIn: seconds, refreshToken: "refresh-1", accountID: SignedIn.alice.accountID,
      country: .netherlands)
    try file.write(Session(message, store: harness.server.url, app: "io.example.lumen", now: harness.world.clock.now))
  }

  func content(_ harness: RemoteHarness, name: String = "session.json") -> String {
    (try? String(contentsOf: harness.world.folder.appending(path: name), encoding: .utf8)) ?? ""
  }

  @Test("ACC-16: the tokens lie sealed on disk, who is signed in is known at once, and the key is asked for once")
  func sealed() async throws {
    let harness = try harness()
    try await signIn(harness, lasting: 10)
    #expect(content(harness).contains("sealedTokens") && !content(harness).contains("refresh-1"))
    secrets.state.withLock { $0.reads = 0 }
    let store = harness.store()
    #expect(store.signedIn == .alice)
    let signedHistory = try await store.signedHistory()
    #expect(signedHistory == "a.b.c")
    harness.world.clock.advance(600)
    let secondSignedHistory = try await store.signedHistory()
    #expect(secondSignedHistory == "a.b.c")
    #expect(!content(harness).contains("refresh-3") && content(harness).contains("sealedTokens"))
    #expect(secrets.state.withLock { $0.reads } == 1)
    let thirdSignedHistory = try await harness.store().signedHistory()
    #expect(thirdSignedHistory == "a.b.c")
    #expect(harness.desk.state.withLock { $0.refreshes } == 2)
  }

  @Test("Where the key lies is chosen at the first start, said, and not chosen again", arguments: [true, false])
  func chosenOnce(isThere: Bool) async throws {
    let harness = try harness()
    if !isThere { secrets.set(fault: "there is no session bus") }
    try await signIn(harness)
    let words = isThere ? "sealed with a key in the Secret Service" : "there is no session bus"
    #expect(harness.world.log.lines(.notice).filter { $0.contains(words) }.count == 1)
    #expect(content(harness).contains("refresh-1") == !isThere)
    secrets.set(fault: nil)
    try await signIn(harness)
    #expect(content(harness).contains("refresh-1") == !isThere)
    #expect(secrets.state.withLock { $0.secrets.isEmpty } == !isThere)
    let signedHistory = try await harness.store().signedHistory()
    #expect(signedHistory == "a.b.c")
    #expect(harness.world.log.lines(.notice).count == 1)
  }

  @Test(
    "ACC-14: a key that is unavailable for now logs no account out, and is asked for again",
    arguments: ["gone", "locked"])
  func unavailable(how: String) async throws {
    let harness = try harness()
    try await signIn(harness)
    secrets.state.withLock { if how == "gone" { $0.fault = "there is no session bus" } else { $0.isLocked = true } }
    let store = harness.store()
    for _ in 0..<3 {
      await #expect(throws: StoreError.serviceUnavailable) { try await store.signedHistory() }
      #expect(store.signedIn == .alice)
    }
    #expect(secrets.state.withLock { $0.asked } == (how == "locked" ? 1 : 0))
    #expect(harness.world.log.lines(.error).allSatisfy { $0.contains("the session is kept") })
    #expect(harness.desk.state.withLock { $0.refreshes } == 0)
    secrets.state.withLock { ($0.fault, $0.isLocked) = (nil, false) }
    let signedHistory = try await store.signedHistory()
    #expect(signedHistory == "a.b.c")
  }

  @Test("ACC-14: a key that is gone for good ends the login, says that the store did not, and the next login works")
  func lost() async throws {
    let harness = try harness()
    try await signIn(harness)
    secrets.state.withLock { $0.secrets = [:] }
    let store = harness.store()
    #expect(store.signedIn == .alice)
    await #expect(throws: StoreError.notSignedIn) { try await store.signedHistory() }
    for await _ in store.signedInChanges { break }
    #expect(store.signedIn == nil && content(harness).contains("sealedTokens"))
    #expect(harness.world.log.lines(.error).contains { $0.contains("the store has refused nothing") })
    #expect(!harness.world.log.text.contains("invalid_grant"))
    try await signIn(harness)
    let next = harness.store()
    let signedHistory = try await next.signedHistory()
    #expect(signedHistory == "a.b.c")
    try await next.revokeForgotten()
    #expect(try harness.file.leftToRevoke().isEmpty)
    #expect(harness.desk.state.withLock { $0.revoked } == [])
  }

  @Test("ACC-14: a login that the store refuses is said to be so")
  func refused() async throws {
    let harness = try harness()
    try await signIn(harness, lasting: 10)
    harness.desk.state.withLock { $0.generation = 7 }
    let store = harness.store()
    await #expect(throws: StoreError.notSignedIn) { try await store.signedHistory() }
    #expect(harness.world.log.lines(.notice).contains { $0.contains("invalid_grant") })
    #expect(harness.world.log.lines(.error).isEmpty)
  }

  @Test("ACC-13: a sealed login that was given up is revoked as soon as the key can be had")
  func revoked() async throws {
    let harness = try harness()
    try await signIn(harness)
    let store = harness.store()
    store.forgetSignIn()
    secrets.set(fault: "there is no session bus")
    let next = harness.store()
    await #expect(throws: StoreError.serviceUnavailable) { try await next.revokeForgotten() }
    secrets.set(fault: nil)
    try await next.revokeForgotten()
    #expect(harness.desk.state.withLock { $0.revoked } == ["refresh-1"])
    #expect(secrets.state.withLock { $0.asked } == 0)
  }

  @Test("A key that an earlier installation left over opens nothing here, is removed, and that is said")
  func leftOver() async throws {
    let harness = try harness()
    try await signIn(harness)
    let kept = content(harness)
    let old = try #require(secrets.state.withLock { $0.secrets.values.first })
    // The app is removed and installed again; a backup brings the session back.
    try FileManager.default.removeItem(at: harness.world.folder)
    try FileManager.default.createDirectory(at: harness.world.folder, withIntermediateDirectories: true)
    try kept.write(to: harness.world.folder.appending(path: "session.json"), atomically: true, encoding: .utf8)
    let store = harness.store()
    await #expect(throws: StoreError.notSignedIn) { try await store.signedHistory() }
    let new = try #require(secrets.state.withLock { $0.secrets.values.first })
    #expect(new.count == 1 && Set(new.keys).isDisjoint(with: old.keys))
    #expect(harness.world.log.lines(.notice).contains { $0.contains("left over") })
    #expect(harness.desk.state.withLock { $0.refreshes } == 0)
  }

  @Test("A copy of the folder has no part in the login, and leaves it alone")
  func copied() async throws {
    let harness = try harness()
    try await signIn(harness)
    let copy = try self.harness()
    try FileManager.default.copyItem(at: harness.world.folder, to: copy.world.folder)
    let elsewhere = RemoteStore(
      store: harness.server.url, app: "io.example.lumen",
      dependencies: {
        var dependencies = copy.world.dependencies()
        dependencies.secrets = secrets
        return dependencies
      }())
    await #expect(throws: StoreError.notSignedIn) { try await elsewhere.signedHistory() }
    let signedHistory = try await harness.store().signedHistory()
    #expect(signedHistory == "a.b.c")
  }

  @Test("Eight clients that start for the first time at once make one key")
  func firstStarts() async throws {
    let harness = try harness()
    let files = (0..<8).map { _ in harness.file }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for file in files { group.addTask { try await file.seal.prepare(.seal) } }
      try await group.waitForAll()
    }
    #expect(secrets.state.withLock { $0.secrets.values.map(\.count) } == [1])
    let message = TokenMessage(
      accessToken: "a", expiresIn: 600, refreshToken: "r", accountID: SignedIn.alice.accountID, country: .netherlands)
    try files[0].write(
      Session(message, store: harness.server.url, app: "io.example.lumen", now: harness.world.clock.now))
    for file in files {
      let session = try #require(try file.read())
      let refreshToken = try file.seal.tokens(of: session).refreshToken
      #expect(refreshToken == RefreshToken("r"))
    }
  }

  @Test("Sealed tokens cannot be put under another store's name, and a flipped bit is noticed")
  func tampered() async throws {
    let harness = try harness()
    try await signIn(harness)
    let file = harness.file
    try await file.seal.prepare(.open)
    let session = try #require(try file.read())
    var other = session
    other.store = try #require(URL(string: "https://evil.example"))
    #expect(throws: TokenSeal.Failure.lost) { try file.seal.tokens(of: other) }
    guard case .sealed(var box) = session.tokens else {
      Issue.record("expected sealed tokens")
      return
    }
    box[box.count - 1] ^= 1
    other = session
    other.tokens = .sealed(box)
    #expect(throws: TokenSeal.Failure.lost) { try file.seal.tokens(of: other) }
  }
}
