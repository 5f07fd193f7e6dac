import Foundation
import OnsideAPI
import OnsideCommerce
import Synchronization
import Testing

@testable import OnsideKit

@Suite(.timeLimit(.minutes(5)))
struct RefreshTests {
  static func ok(_ request: HTTPServerDouble.Request) -> HTTPServerDouble.Answer { .json(200, "a.b.c") }

  @Test("ACC-15: tasks that find the token expired share one refresh")
  func tasks() async throws {
    let harness = try RemoteHarness(Self.ok)
    try harness.signIn(lasting: 10)
    let store = harness.store()
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<20 { group.addTask { try await store.signedHistory() } }
      for try await history in group { #expect(history == "a.b.c") }
    }
    #expect(harness.desk.state.withLock { $0.refreshes } == 1)
  }

  @Test("ACC-15: tasks whose token the store refuses share one refresh, and each gets its answer")
  func refused() async throws {
    let harness = try RemoteHarness(Self.ok)
    try harness.signIn()
    harness.desk.state.withLock { $0.access = "another" }
    let store = harness.store()
    try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<20 { group.addTask { try await store.signedHistory() } }
      for try await history in group { #expect(history == "a.b.c") }
    }
    #expect(harness.desk.state.withLock { $0.refreshes } == 1)
  }

  @Test("ACC-15: of several clients on one folder, as processes are, one refreshes and the others take over")
  func processes() async throws {
    let harness = try RemoteHarness(Self.ok)
    try harness.signIn(lasting: 10)
    let stores = (0..<5).map { _ in harness.store() }
    try await withThrowingTaskGroup(of: String.self) { group in
      for store in stores { group.addTask { try await store.signedHistory() } }
      for try await history in group { #expect(history == "a.b.c") }
    }
    #expect(harness.desk.state.withLock { $0.refreshes } == 1)
    let refreshToken = try harness.file.read()?.refreshToken
    #expect(refreshToken == RefreshToken("refresh-2"))
  }

  @Test("ACC-15: a refresh goes on when the call that started it is cancelled")
  func cancelled() async throws {
    let harness = try RemoteHarness(Self.ok)
    try harness.signIn(lasting: 10)
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    harness.desk.state.withLock { $0.gate = gate }
    let store = harness.store()
    let task = Task { try await store.signedHistory() }
    #expect(await eventually { harness.server.requests("/oauth/token").count == 1 })
    task.cancel()
    open.yield()
    open.finish()
    _ = try? await task.value
    #expect(await eventually { (try? harness.file.read())?.refreshToken == RefreshToken("refresh-2") })
  }

  @Test(
    "PRD-5: a cancelled call stops waiting for a refresh at once; the refresh goes on, and the next call has its token")
  func cancelledWhileRefreshing() async throws {
    let harness = try RemoteHarness(Self.ok)
    try harness.signIn(lasting: 10)
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    harness.desk.state.withLock { $0.gate = gate }
    let store = harness.store()
    let ended = Mutex<StoreError?>(nil)
    let task = Task {
      do { _ = try await store.signedHistory() } catch { ended.withLock { $0 = error as? StoreError } }
    }
    #expect(await eventually { harness.server.requests("/oauth/token").count == 1 })
    task.cancel()
    #expect(await eventually { ended.withLock { $0 } == .cancelled })
    harness.desk.state.withLock { $0.gate = nil }
    open.finish()
    let signedHistory = try await store.signedHistory()
    #expect(signedHistory == "a.b.c")
    #expect(harness.desk.state.withLock { $0.refreshes } == 1)
    harness.world.clock.advance(600)
    let secondSignedHistory = try await store.signedHistory()
    #expect(secondSignedHistory == "a.b.c")
    #expect(harness.desk.state.withLock { $0.refreshes } == 2)
  }

  @Test("PRD-5: products end within their deadline although a refresh of the token does not")
  @MainActor
  func productsWhileRefreshing() async throws {
    let harness = try RemoteHarness(Self.ok)
    try harness.signIn(lasting: 10)
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    harness.desk.state.withLock { $0.gate = gate }
    let client = OnsideClient(
      configuration: harness.world.configuration(harness.server.url), dependencies: harness.world.dependencies())
    let ended = Mutex<OnsideProductsRequestError?>(nil)
    Task {
      do { _ = try await client.products(for: ["a"]) } catch {
        ended.withLock { $0 = error as? OnsideProductsRequestError }
      }
    }
    #expect(
      await eventually { harness.server.requests("/oauth/token").count == 1 && harness.world.clock.sleepers == 2 })
    harness.world.clock.advance(15)
    #expect(await eventually { ended.withLock { $0 } == .connectionError })
    open.finish()
    await client.close()
  }

  @Test("ACC-15: a refresh that another process keeps from starting is a connection error, and the login stays")
  func busyLock() async throws {
    let harness = try RemoteHarness(Self.ok)
    try harness.signIn(lasting: 10)
    let held = try FileLock.takeNow(harness.file.refreshLock)
    let clock = harness.world.clock
    var dependencies = harness.world.dependencies()
    dependencies.sleep = { seconds in
      // The look at the lock is the only short pause.
      if seconds < 1 { clock.advance(10) } else { try await clock.sleep(seconds) }
    }
    let store = RemoteStore(store: harness.server.url, app: "io.example.lumen", dependencies: dependencies)
    await #expect(throws: StoreError.connection) { try await store.signedHistory() }
    #expect(store.signedIn == .alice && harness.desk.state.withLock { $0.refreshes } == 0)
    withExtendedLifetime(held) {}
  }

  @Test("ACC-15: a lost answer is asked for again at once, while the store still gives it")
  func lostAnswer() async throws {
    let harness = try RemoteHarness(Self.ok)
    try harness.signIn(lasting: 10)
    harness.desk.state.withLock { $0.faults = [.none, .none] }
    let signedHistory = try await harness.store().signedHistory()
    #expect(signedHistory == "a.b.c")
    #expect(harness.desk.state.withLock { $0.refreshes } == 3)
  }

  static let faults: [HTTPServerDouble.Answer] = [
    .none, .json(500, ""), .json(503, problem(503, code: "overloaded")), .json(429, ""), .json(401, ""),
    .json(404, ""), .json(400, #"{"error":"invalid_request"}"#), .json(200, "<html>"),
  ]

  @Test("ACC-14: a fault of the network or the store does not log out", arguments: 0..<8)
  func faults(index: Int) async throws {
    let harness = try RemoteHarness(Self.ok)
    try harness.signIn(lasting: 10)
    harness.desk.state.withLock { $0.faults = [HTTPServerDouble.Answer](repeating: Self.faults[index], count: 3) }
    let store = harness.store()
    let error = await #expect(throws: StoreError.self) { try await store.signedHistory() }
    #expect(error != .notSignedIn)
    let stored = try harness.file.read()
    #expect(store.signedIn == .alice && stored != nil)
    harness.desk.state.withLock { $0.faults = [] }
    let signedHistory = try await store.signedHistory()
    #expect(signedHistory == "a.b.c")
  }

  @Test("ACC-14: a refresh that cannot be saved does not log out, and is saved later", arguments: [true, false])
  func refreshOnFullDisk(freed: Bool) async throws {
    let harness = try RemoteHarness(Self.ok)
    try harness.signIn(lasting: 10)
    let store = harness.store()
    try harness.fillDisk()
    let signedHistory = try await store.signedHistory()
    #expect(signedHistory == "a.b.c")
    let refreshToken = try harness.file.read()?.refreshToken
    #expect(refreshToken == RefreshToken("refresh-1"))
    if freed { try harness.freeDisk() }
    harness.world.clock.advance(600)
    let secondSignedHistory = try await store.signedHistory()
    #expect(secondSignedHistory == "a.b.c")
    #expect(store.signedIn == .alice)
    let secondRefreshToken = try harness.file.read()?.refreshToken
    #expect(secondRefreshToken == RefreshToken(freed ? "refresh-3" : "refresh-1"))
  }

  @Test("ACC-14: a login that cannot be saved lasts, and is saved at the next refresh")
  func loginOnFullDisk() async throws {
    let harness = try RemoteHarness(Self.ok)
    try harness.signIn(lasting: 10)
    let session = try #require(try harness.file.read())
    try harness.file.remove()
    let store = harness.store()
    try harness.fillDisk()
    store.vault.begin(session)
    try harness.freeDisk()
    let signedHistory = try await store.signedHistory()
    #expect(signedHistory == "a.b.c")
    let refreshToken = try harness.file.read()?.refreshToken
    #expect(refreshToken == RefreshToken("refresh-2"))
  }

  @Test("ACC-14: a refused refresh logs out for good even if it is of a login that could not be saved")
  func unsavedRefused() async throws {
    let harness = try RemoteHarness(Self.ok)
    try harness.signIn(lasting: 10)
    let store = harness.store()
    try harness.fillDisk()
    _ = try await store.signedHistory()
    harness.desk.state.withLock { $0.generation = 7 }
    harness.world.clock.advance(600)
    await #expect(throws: StoreError.notSignedIn) { try await store.signedHistory() }
    let stored = try harness.file.read()
    #expect(store.signedIn == nil && stored == nil)
  }

  @Test("ACC-14: a refused refresh logs out, and says so")
  func invalidGrant() async throws {
    let harness = try RemoteHarness(Self.ok)
    try harness.signIn(lasting: 10, generation: 7)
    let store = harness.store()
    await #expect(throws: StoreError.notSignedIn) { try await store.signedHistory() }
    let stored = try harness.file.read()
    #expect(store.signedIn == nil && stored == nil)
    for await _ in store.signedInChanges { break }
  }

  @Test("ACC-14: a store that refuses even a fresh token is at fault, and does not log out")
  func freshTokenRefused() async throws {
    let harness = try RemoteHarness { _ in .json(401, problem(401, code: "not_authenticated")) }
    try harness.signIn()
    let store = harness.store()
    let error = await #expect(throws: StoreError.self) { try await store.signedHistory() }
    guard case .internalError? = error else {
      Issue.record("expected an internal error, got \(String(describing: error))")
      return
    }
    #expect(store.signedIn == .alice)
    #expect(harness.server.requests("/v1/history").count == 2)
  }

  @Test("ACC-13: a logout while a refresh is under way stays a logout, and the new tokens are revoked")
  func logoutDuringRefresh() async throws {
    let harness = try RemoteHarness(Self.ok)
    try harness.signIn(lasting: 10)
    let (gate, open) = AsyncStream.makeStream(of: Void.self)
    harness.desk.state.withLock { $0.gate = gate }
    let store = harness.store()
    let task = Task { try await store.signedHistory() }
    #expect(await eventually { harness.server.requests("/oauth/token").count == 1 })
    store.forgetSignIn()
    harness.desk.state.withLock { $0.gate = nil }
    open.yield()
    open.finish()
    await #expect(throws: StoreError.notSignedIn) { try await task.value }
    let stored = try harness.file.read()
    #expect(store.signedIn == nil && stored == nil)
    try await store.revokeForgotten()
    #expect(Set(harness.desk.state.withLock { $0.revoked }) == ["refresh-1", "refresh-2"])
  }

  @Test("ACC-17: the region that a refresh brings is taken over, and told")
  func region() async throws {
    let harness = try RemoteHarness(Self.ok)
    try harness.signIn(lasting: 10)
    harness.desk.state.withLock { $0.country = .unitedStates }
    let store = harness.store()
    _ = try await store.signedHistory()
    #expect(store.signedIn?.country == .unitedStates)
    for await _ in store.signedInChanges { break }
  }
}
