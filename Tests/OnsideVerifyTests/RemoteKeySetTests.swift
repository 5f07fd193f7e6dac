import Foundation
import OnsideVerify
import Synchronization
import Testing

@Suite("Fetched keys", .timeLimit(.minutes(5)))
struct RemoteKeySetTests {
  private let first = TestKey("2026-a")
  private let second = TestKey("2026-b")
  private let time = TestTime()

  private func verifier(_ store: TestKeyServer, initial: JSONWebKeySet? = nil) -> OnsideVerifier {
    let keys = RemoteKeySet(initial: initial, now: { time.now }, fetch: { try await store.fetch() })
    return OnsideVerifier(bundleID: "io.example.lumen", keys: keys, now: { time.now })
  }

  @Test("VER-3: keys are fetched for the first document, and then kept")
  func kept() async throws {
    let store = TestKeyServer([first])
    let verifier = verifier(store)
    for _ in 0..<3 { _ = try await verifier.verifyHistory(try first.sign([])) }
    time.advance(1_000_000)
    _ = try await verifier.verifyHistory(try first.sign([]))
    #expect(store.fetches == 1)
  }

  @Test("VER-3: a key that the store has begun to use is fetched without a restart")
  func rotation() async throws {
    let store = TestKeyServer([first])
    let verifier = verifier(store)
    _ = try await verifier.verifyHistory(try first.sign([]))
    store.publish([second, first])
    time.advance(30)
    _ = try await verifier.verifyHistory(try second.sign([]))
    _ = try await verifier.verifyHistory(try first.sign([]))
    #expect(store.fetches == 2)
  }

  @Test("VER-3: documents with keys that nobody has cause one fetch in thirty seconds")
  func unknownKeys() async throws {
    let store = TestKeyServer([first])
    let verifier = verifier(store)
    for second in 0..<61 {
      let forged = try TestKey("forged-\(second)").sign([])
      let verifierCode = await verifier.code(of: forged)
      #expect(verifierCode == .unknownKey)
      time.advance(1)
    }
    #expect(store.fetches == 3)
    _ = try await verifier.verifyHistory(try first.sign([]))
    #expect(store.fetches == 3)
  }

  @Test("VER-3: documents that could not be right cause no fetch")
  func noFetch() async throws {
    let store = TestKeyServer([first])
    let verifier = verifier(store)
    let list = try first.sign(Data("{}".utf8), header: ["typ": "JWT"])
    for text in ["", "a.b.c", try first.sign(Data("{}".utf8), header: ["alg": "none"]), list] {
      let verifierCode = await verifier.code(of: text)
      #expect(verifierCode != nil)
    }
    #expect(store.fetches == 0)
  }

  @Test("VER-3: a hundred callers that wait at the same time share one fetch")
  func concurrent() async throws {
    let store = TestKeyServer([first], held: true)
    let verifier = verifier(store)
    let right = try first.sign([])
    try await withThrowingTaskGroup { group in
      for number in 0..<100 {
        let text = number.isMultiple(of: 2) ? right : try TestKey("forged-\(number)").sign([])
        group.addTask { await verifier.code(of: text) }
      }
      try await store.waitForFetch()
      store.release()
      let codes = try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      #expect(codes == [nil: 50, .unknownKey: 50])
    }
    #expect(store.fetches == 1)
  }

  @Test("VER-3: without keys a document is not called wrong, and the fetch is tried again after five seconds")
  func unavailable() async throws {
    let store = TestKeyServer([first])
    store.fail(true)
    let verifier = verifier(store)
    let right = try first.sign([])
    for _ in 0..<5 {
      let verifierCode = await verifier.code(of: right)
      #expect(verifierCode == .keysUnavailable)
    }
    #expect(store.fetches == 1)
    store.fail(false)
    time.advance(5)
    let secondVerifierCode = await verifier.code(of: right)
    #expect(secondVerifierCode == nil)
    #expect(store.fetches == 2)
  }

  @Test("VER-3: the keys that are known stay in use while newer ones cannot be fetched")
  func knownStay() async throws {
    let store = TestKeyServer([second])
    store.fail(true)
    let verifier = verifier(store, initial: try keySet(first))
    let verifierCode = await verifier.code(of: try second.sign([]))
    #expect(verifierCode == .keysUnavailable)
    let secondVerifierCode = await verifier.code(of: try first.sign([]))
    #expect(secondVerifierCode == nil)
    #expect(store.fetches == 1)
  }

  @Test("VER-3: a document that is no key set replaces no keys")
  func brokenDocument() async throws {
    let store = TestKeyServer([])
    let verifier = verifier(store, initial: try keySet(first))
    let verifierCode = await verifier.code(of: try second.sign([]))
    #expect(verifierCode == .keysUnavailable)
    let secondVerifierCode = await verifier.code(of: try first.sign([]))
    #expect(secondVerifierCode == nil)
  }

  @Test("VER-3: a clock that is set back does not forbid fetches")
  func clockSetBack() async throws {
    let store = TestKeyServer([first])
    let verifier = verifier(store)
    _ = try await verifier.verifyHistory(try first.sign([]))
    store.publish([second])
    time.advance(-86_400)
    let verifierCode = await verifier.code(of: try second.sign([]))
    #expect(verifierCode == nil)
  }

  @Test(
    "VER-3: keys are fetched over https, or from this machine",
    arguments: ["http://store.example", "ftp://127.0.0.1", "file:///etc/passwd", "store.example"])
  func insecure(address: String) throws {
    let url = try #require(URL(string: address))
    #expect(throws: VerificationError.self) { try RemoteKeySet(storeURL: url) }
    for address in ["https://store.example", "http://127.0.0.1:8080", "http://localhost:8080"] {
      _ = try RemoteKeySet(storeURL: try #require(URL(string: address)))
    }
  }
}

extension OnsideVerifier {
  /// The code of the error for a history; nil when it is right.
  fileprivate func code(of history: String) async -> VerificationError.Code? {
    do throws(VerificationError) {
      _ = try await verifyHistory(history)
      return nil
    } catch { return error.code }
  }
}

extension TestKey {
  fileprivate func sign(_ purchases: [Never]) throws -> String { try sign(Data(#"{"transactions":[]}"#.utf8)) }
}

/// A time that a test moves.
final class TestTime: Sendable {
  private let date = Mutex(Date(timeIntervalSince1970: 1_800_000_000))

  var now: Date { date.withLock { $0 } }

  func advance(_ seconds: TimeInterval) { date.withLock { $0 += seconds } }
}

/// A store that publishes keys, and counts how often it is asked.
private final class TestKeyServer: Sendable {
  private struct State {
    var keys: [TestKey]
    var fetches = 0
    var isFailing = false
    var isHeld: Bool
    var held: [CheckedContinuation<Void, Never>] = []
  }
  private struct Unreachable: Error {}

  private let state: Mutex<State>

  init(_ keys: [TestKey], held: Bool = false) { state = Mutex(State(keys: keys, isHeld: held)) }

  var fetches: Int { state.withLock { $0.fetches } }

  func publish(_ keys: [TestKey]) { state.withLock { $0.keys = keys } }

  func fail(_ isFailing: Bool) { state.withLock { $0.isFailing = isFailing } }

  func fetch() async throws -> Data {
    let isHeld = state.withLock { state in
      state.fetches += 1
      return state.isHeld
    }
    if isHeld { await withCheckedContinuation { waiting in state.withLock { $0.held.append(waiting) } } }
    let (keys, isFailing) = state.withLock { ($0.keys, $0.isFailing) }
    if isFailing { throw Unreachable() }
    return try document(keys.map(\.jwk))
  }

  func waitForFetch() async throws {
    while state.withLock({ $0.held.isEmpty }) {
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  func release() {
    let held = state.withLock { state in
      state.isHeld = false
      return state.held
    }
    for waiting in held { waiting.resume() }
  }
}
