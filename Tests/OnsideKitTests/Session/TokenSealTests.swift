import Foundation
import Logging
import OnsideAPI
import OnsideCommerce
import Synchronization
import Testing

@testable import OnsideKit

/// Logins sealed with a key that lies in the system's place for secrets.
@Suite(.timeLimit(.minutes(5)))
struct TokenSealTests {
  let secrets = SecretStoreDouble()

  func rig(secrets: SecretStoreDouble? = nil, world: World = World()) throws -> RemoteRig {
    try RemoteRig(world: world, secrets: secrets ?? self.secrets, RefreshTests.ok)
  }

  /// A login of a launch before.
  func signIn(_ rig: RemoteRig, lasting seconds: Int = 600) async throws {
    let file = rig.file
    try await file.seal.prepare(.seal)
    let message = TokenMessage(
      accessToken: "access-1", expiresIn: seconds, refreshToken: "refresh-1", accountID: SignedIn.alice.accountID,
      country: .netherlands)
    try file.write(Session(message, store: rig.server.url, app: "io.example.lumen", now: rig.world.clock.now))
  }

  func content(_ rig: RemoteRig, _ name: String = "session.json") -> String {
    (try? String(contentsOf: rig.world.folder.appending(path: name), encoding: .utf8)) ?? ""
  }

  @Test("ACC-16: the tokens lie sealed on disk, who is signed in is known at once, and the key is asked for once")
  func sealed() async throws {
    let rig = try rig()
    try await signIn(rig, lasting: 10)
    #expect(content(rig).contains("sealedTokens") && !content(rig).contains("refresh-1"))
    secrets.state.withLock { $0.reads = 0 }
    let store = rig.store()
    #expect(store.signedIn == .alice)
    #expect(try await store.signedHistory() == "a.b.c")
    rig.world.clock.advance(600)
    #expect(try await store.signedHistory() == "a.b.c")
    #expect(!content(rig).contains("refresh-3") && content(rig).contains("sealedTokens"))
    #expect(secrets.state.withLock { $0.reads } == 1)
    #expect(try await rig.store().signedHistory() == "a.b.c")
    #expect(rig.desk.state.withLock { $0.refreshes } == 2)
  }

  @Test("Where the key lies is chosen at the first start, said, and not chosen again", arguments: [true, false])
  func chosenOnce(isThere: Bool) async throws {
    let rig = try rig()
    if !isThere { secrets.set(fault: "there is no session bus") }
    try await signIn(rig)
    let words = isThere ? "sealed with a key in the Secret Service" : "there is no session bus"
    #expect(rig.world.log.lines(.notice).filter { $0.contains(words) }.count == 1)
    #expect(content(rig).contains("refresh-1") == !isThere)
    secrets.set(fault: nil)
    try await signIn(rig)
    #expect(content(rig).contains("refresh-1") == !isThere)
    #expect(secrets.state.withLock { $0.secrets.isEmpty } == !isThere)
    #expect(try await rig.store().signedHistory() == "a.b.c")
    #expect(rig.world.log.lines(.notice).count == 1)
  }

  @Test(
    "ACC-14: a key that is unavailable for now logs no account out, and is asked for again",
    arguments: ["gone", "locked"])
  func unavailable(how: String) async throws {
    let rig = try rig()
    try await signIn(rig)
    secrets.state.withLock { if how == "gone" { $0.fault = "there is no session bus" } else { $0.isLocked = true } }
    let store = rig.store()
    for _ in 0..<3 {
      await #expect(throws: StoreError.serviceUnavailable) { try await store.signedHistory() }
      #expect(store.signedIn == .alice)
    }
    #expect(secrets.state.withLock { $0.asked } == (how == "locked" ? 1 : 0))
    #expect(rig.world.log.lines(.error).allSatisfy { $0.contains("nobody is logged out") })
    #expect(rig.desk.state.withLock { $0.refreshes } == 0)
    secrets.state.withLock { ($0.fault, $0.isLocked) = (nil, false) }
    #expect(try await store.signedHistory() == "a.b.c")
  }

  @Test("ACC-14: a key that is gone for good ends the login, says that the store did not, and the next login works")
  func lost() async throws {
    let rig = try rig()
    try await signIn(rig)
    secrets.state.withLock { $0.secrets = [:] }
    let store = rig.store()
    #expect(store.signedIn == .alice)
    await #expect(throws: StoreError.notSignedIn) { try await store.signedHistory() }
    for await _ in store.signedInChanges { break }
    #expect(store.signedIn == nil && content(rig).contains("sealedTokens"))
    #expect(rig.world.log.lines(.error).contains { $0.contains("the store has refused nothing") })
    #expect(!rig.world.log.text.contains("invalid_grant"))
    try await signIn(rig)
    let next = rig.store()
    #expect(try await next.signedHistory() == "a.b.c")
    try await next.revokeForgotten()
    #expect(try rig.file.leftToRevoke().isEmpty && rig.desk.state.withLock { $0.revoked } == [])
  }

  @Test("ACC-14: a login that the store refuses is said to be so")
  func refused() async throws {
    let rig = try rig()
    try await signIn(rig, lasting: 10)
    rig.desk.state.withLock { $0.generation = 7 }
    let store = rig.store()
    await #expect(throws: StoreError.notSignedIn) { try await store.signedHistory() }
    #expect(rig.world.log.lines(.notice).contains { $0.contains("invalid_grant") })
    #expect(rig.world.log.lines(.error).isEmpty)
  }

  @Test("ACC-13: a sealed login that was given up is revoked as soon as the key can be had")
  func revoked() async throws {
    let rig = try rig()
    try await signIn(rig)
    let store = rig.store()
    store.forgetSignIn()
    secrets.set(fault: "there is no session bus")
    let next = rig.store()
    await #expect(throws: StoreError.serviceUnavailable) { try await next.revokeForgotten() }
    secrets.set(fault: nil)
    try await next.revokeForgotten()
    #expect(rig.desk.state.withLock { $0.revoked } == ["refresh-1"])
    #expect(secrets.state.withLock { $0.asked } == 0)
  }

  @Test("A key that an earlier installation left over opens nothing here, is removed, and that is said")
  func leftOver() async throws {
    let rig = try rig()
    try await signIn(rig)
    let kept = content(rig)
    let old = try #require(secrets.state.withLock { $0.secrets.values.first })
    // The app is removed and installed again; a backup brings the session back.
    try FileManager.default.removeItem(at: rig.world.folder)
    try FileManager.default.createDirectory(at: rig.world.folder, withIntermediateDirectories: true)
    try kept.write(to: rig.world.folder.appending(path: "session.json"), atomically: true, encoding: .utf8)
    let store = rig.store()
    await #expect(throws: StoreError.notSignedIn) { try await store.signedHistory() }
    let new = try #require(secrets.state.withLock { $0.secrets.values.first })
    #expect(new.count == 1 && Set(new.keys).isDisjoint(with: old.keys))
    #expect(rig.world.log.lines(.notice).contains { $0.contains("left over") })
    #expect(rig.desk.state.withLock { $0.refreshes } == 0)
  }

  @Test("A copy of the folder has no part in the login, and leaves it alone")
  func copied() async throws {
    let rig = try rig()
    try await signIn(rig)
    let copy = try self.rig()
    try FileManager.default.copyItem(at: rig.world.folder, to: copy.world.folder)
    let elsewhere = RemoteStore(
      store: rig.server.url, app: "io.example.lumen",
      dependencies: {
        var dependencies = copy.world.dependencies()
        dependencies.secrets = secrets
        return dependencies
      }())
    await #expect(throws: StoreError.notSignedIn) { try await elsewhere.signedHistory() }
    #expect(try await rig.store().signedHistory() == "a.b.c")
  }

  @Test("Two processes that start for the first time at once make one key")
  func firstStarts() async throws {
    let rig = try rig()
    let files = (0..<8).map { _ in rig.file }
    try await withThrowingTaskGroup(of: Void.self) { group in
      for file in files { group.addTask { try await file.seal.prepare(.seal) } }
      try await group.waitForAll()
    }
    #expect(secrets.state.withLock { $0.secrets.values.map(\.count) } == [1])
    let message = TokenMessage(
      accessToken: "a", expiresIn: 600, refreshToken: "r", accountID: SignedIn.alice.accountID, country: .netherlands)
    try files[0].write(Session(message, store: rig.server.url, app: "io.example.lumen", now: rig.world.clock.now))
    for file in files {
      let session = try #require(try file.read())
      #expect(try file.seal.tokens(of: session).refreshToken == RefreshToken("r"))
    }
  }

  @Test("Sealed tokens cannot be put under another store's name, and a flipped bit is noticed")
  func tampered() async throws {
    let rig = try rig()
    try await signIn(rig)
    let file = rig.file
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
