import Foundation
import Logging
import OnsideAPI
import Synchronization
import TestSupport
import Testing

@testable import OnsideKit

/// An app and a landing page's store that can be told what to answer.
@MainActor
final class AttributionRig {
  static let visit = "https://store.example/a/io.example.lumen?utm_source=news&gclid=a%20b"
  static let claim = "abcdefghijklmnop_-0123"

  let harness: RemoteHarness
  private(set) var client: OnsideClient
  private let screens = CountingScreens()

  private final class Script: Sendable {
    let answers = Mutex<[HTTPServerDouble.Answer]>([])
    /// The next answer; the last one stays.
    func next() -> HTTPServerDouble.Answer {
      answers.withLock { $0.count > 1 ? $0.removeFirst() : $0.first ?? .json(200, "{}") }
    }
  }

  private let script: Script

  init(_ answers: HTTPServerDouble.Answer...) throws {
    let script = Script()
    script.answers.withLock { $0 = answers }
    self.script = script
    harness = try RemoteHarness { request in request.path == "/v1/attribution" ? script.next() : .json(404, "") }
    client = Self.client(harness, screens: screens, claim: nil)
  }

  static func known(_ address: String = visit) -> HTTPServerDouble.Answer {
    .json(200, #"{"referer_url":"\#(address)"}"#)
  }

  func answer(_ answers: HTTPServerDouble.Answer...) { script.answers.withLock { $0 = answers } }

  /// What the store was asked.
  var asked: [AttributionRequest] {
    harness.server.requests("/v1/attribution").compactMap {
      try? WireCoding.decoder().decode(AttributionRequest.self, from: Data($0.body.utf8))
    }
  }

  var screensShown: Int { screens.count.withLock { $0 } }

  func restart(claim: String? = nil) async {
    await client.close()
    client = Self.client(harness, screens: screens, claim: claim)
  }

  func address() async throws -> String? { try await client.attributionMetadata().refererUrl?.absoluteString }

  func open(_ url: String) throws {
    client.callbackScheme = "lumen"
    #expect(client.handle(url: try #require(URL(string: url))))
  }

  private static func client(_ harness: RemoteHarness, screens: CountingScreens, claim: String?) -> OnsideClient {
    var configuration = harness.world.configuration(harness.server.url)
    configuration.claimToken = claim
    return OnsideClient(configuration: configuration, dependencies: harness.world.dependencies(screens: screens))
  }

  private final class CountingScreens: ScreenPresenter {
    let count = Mutex(0)
    func present(
      _ screen: OnsideScreen, page: @escaping @Sendable (URL) async throws -> URL
    ) async throws -> ScreenOutcome {
      count.withLock { $0 += 1 }
      return .dismissed
    }
  }
}

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct AttributionTests {
  @Test("ATT-1: the visit is fetched once, concurrent calls share the request, and then it comes from disk")
  func once() async throws {
    let app = try AttributionRig(AttributionRig.known())
    let answers = Mutex<[URL?]>([])
    for _ in 0..<5 {
      app.client.getAttributionMetadata { result in answers.withLock { $0.append(try? result.get().refererUrl) } }
    }
    #expect(await eventually { answers.withLock { $0.count } == 5 })
    #expect(answers.withLock { Set($0.map { $0?.absoluteString }) } == [AttributionRig.visit])
    #expect(app.asked.count == 1)
    app.answer(.none)
    let address = try await app.address()
    #expect(address == AttributionRig.visit)
    await app.restart()
    let secondAddress = try await app.address()
    #expect(secondAddress == AttributionRig.visit)
    #expect(app.asked.count == 1)
    await app.client.close()
  }

  @Test("ATT-1: without a visit the address is nil, and that is asked once, too")
  func organic() async throws {
    let app = try AttributionRig(.json(200, "{}"))
    let address = try await app.address()
    #expect(address == nil)
    await app.restart()
    let secondAddress = try await app.address()
    #expect(secondAddress == nil)
    #expect(app.asked.count == 1 && app.asked.first?.claim == nil)
    await app.client.close()
  }

  @Test("ATT-1: a token that arrives after an answer without a visit asks once more, and what it brings stays")
  func lateToken() async throws {
    let app = try AttributionRig(.json(200, "{}"))
    let address = try await app.address()
    #expect(address == nil)
    app.answer(AttributionRig.known())
    try app.open("LUMEN://onside?claim=\(AttributionRig.claim)")
    #expect(await eventually { app.asked.count == 2 })
    #expect(app.asked.last?.claim == AttributionRig.claim)
    let secondAddress = try await app.address()
    #expect(secondAddress == AttributionRig.visit)
    app.answer(AttributionRig.known("https://store.example/a/other"))
    try app.open("lumen://onside?claim=0000000000000000000000")
    let thirdAddress = try await app.address()
    #expect(thirdAddress == AttributionRig.visit)
    #expect(app.asked.count == 2)
    await app.client.close()
  }

  @Test("ATT-1, ATT-2: a token survives a restart while the store is down, and is offered until the store has heard it")
  func offline() async throws {
    let app = try AttributionRig(.json(503, ""))
    try app.open("lumen://onside?claim=\(AttributionRig.claim)")
    #expect(await eventually { !app.asked.isEmpty })
    await #expect(throws: OnsideAttributionMetadataError.serviceUnavailable) { try await app.address() }
    await app.restart()
    app.answer(AttributionRig.known())
    let address = try await app.address()
    #expect(address == AttributionRig.visit)
    #expect(app.asked.last?.claim == AttributionRig.claim)
    #expect(Set(app.asked.map(\.installationID)).count == 1, "one installation, whatever fails")
    await app.client.close()
  }

  @Test("ATT-2: a token of the environment is offered once, although every launch names it")
  func environment() async throws {
    let app = try AttributionRig(.json(200, "{}"))
    for _ in 0..<3 {
      await app.restart(claim: AttributionRig.claim)
      #expect(await eventually { !app.asked.isEmpty })
      let address = try await app.address()
      #expect(address == nil)
    }
    #expect(app.asked.map(\.claim) == [AttributionRig.claim])
    await app.client.close()
  }

  @Test(
    "ATT-2: what cannot be a token is ignored",
    arguments: ["claim=", "claim=short", "claim=a/../b/c/d/e/f/g/h", "claim=\(String(repeating: "a", count: 129))"])
  func noToken(query: String) async throws {
    let app = try AttributionRig(.json(200, "{}"))
    try app.open("lumen://onside?\(query)")
    #expect(await eventually { app.harness.world.log.lines(.warning).contains { $0.contains("claim token") } })
    #expect(app.asked.isEmpty)
    await app.client.close()
  }

  @Test("ATT-2: an address with a state or with two tokens belongs to no claim")
  func otherCallbacks() throws {
    for query in ["claim=\(AttributionRig.claim)&state=x", "claim=\(AttributionRig.claim)&claim=b", "code=x"] {
      let claim = Attribution.claim(in: try #require(URL(string: "lumen://onside?\(query)")))
      #expect(claim == nil)
    }
  }

  nonisolated static let faults: [(HTTPServerDouble.Answer, OnsideAttributionMetadataError)] = [
    (.none, .connectionError), (.json(404, problem(404, code: "app_not_registered")), .appNotRegistered),
    (.json(500, ""), .serviceUnavailable), (.json(429, ""), .serviceUnavailable), (.json(200, "no"), .internalError),
    (.json(400, problem(400, code: "invalid_request")), .internalError),
  ]

  @Test("ATT-1: every fault has its published case, and the next call asks again", arguments: faults.indices)
  func faults(index: Int) async throws {
    let app = try AttributionRig(Self.faults[index].0, AttributionRig.known())
    await #expect(throws: Self.faults[index].1) { try await app.address() }
    let address = try await app.address()
    #expect(address == AttributionRig.visit)
    await app.client.close()
  }

  @Test("ACC-5, ATT-1: attribution never logs in and carries no login")
  func loggedOut() async throws {
    let app = try AttributionRig(AttributionRig.known())
    try app.harness.signIn()
    _ = try await app.address()
    #expect(app.screensShown == 0)
    #expect(app.harness.server.requests("/v1/attribution").allSatisfy { $0.bearer == nil })
    await app.client.close()
  }

  @Test("ATT-1: a damaged file, and one of another store, count as none")
  func damaged() async throws {
    let app = try AttributionRig(AttributionRig.known())
    _ = try await app.address()
    for content in ["{", #"{"version":1,"owner":"other","isAnswered":true,"refererURL":"x:y"}"#] {
      try Data(content.utf8).write(to: app.harness.world.folder.appending(path: "attribution.json"))
      await app.restart()
      let address = try await app.address()
      #expect(address == AttributionRig.visit)
    }
    #expect(app.asked.count == 3 && Set(app.asked.map(\.installationID)).count == 1)
    await app.client.close()
  }

  @Test("ATT-1: in local testing no visit is known, unless the local store says one")
  func local() async throws {
    let harness = try LocalRig()
    let refererUrl = try await harness.client.attributionMetadata().refererUrl
    #expect(refererUrl == nil)
    await harness.close()
    let other = try LocalRig()
    other.store.refererURL = URL(string: AttributionRig.visit)
    let absoluteString = try await other.client.attributionMetadata().refererUrl?.absoluteString
    #expect(absoluteString == AttributionRig.visit)
    await other.close()
  }
}
