import Foundation
import Logging
import OnsideAPI
import OnsideCommerce
import Synchronization
import TestSupport
import Testing

@testable import OnsideKit

/// An app that reports events to a store that can be told what to answer.
@MainActor
final class EventRig {
  let harness: RemoteHarness
  private(set) var client: OnsideClient
  private let script: Script
  private let region: String?

  private final class Script: Sendable {
    let answer: Mutex<HTTPServerDouble.Answer>
    init(_ answer: HTTPServerDouble.Answer) { self.answer = Mutex(answer) }
  }

  init(_ answer: HTTPServerDouble.Answer = .json(204, ""), world: ClientHarness? = nil, region: String? = "DE") throws {
    let script = Script(answer)
    self.script = script
    self.region = region
    harness = try RemoteHarness { request in
      request.path == "/v1/events" ? script.answer.withLock { $0 } : .json(404, "")
    }
    client = OnsideClient(
      configuration: harness.world.configuration(harness.server.url),
      dependencies: harness.world.dependencies(region: region))
  }

  var world: ClientHarness { harness.world }
  var folder: URL { world.folder.appending(path: "events") }
  var files: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()) ?? [] }
  var batchFiles: [String] { files.filter { $0.hasSuffix(".json") } }

  func answer(_ answer: HTTPServerDouble.Answer) { script.answer.withLock { $0 = answer } }

  func restart() async {
    await client.close()
    client = OnsideClient(
      configuration: harness.world.configuration(harness.server.url),
      dependencies: harness.world.dependencies(region: region))
  }

  var requests: [EventsRequest] {
    harness.server.requests("/v1/events").compactMap {
      try? WireCoding.decoder().decode(EventsRequest.self, from: Data($0.body.utf8))
    }
  }

  /// What the store was told, in order.
  var heard: [EventMessage] { requests.flatMap(\.events) }

  /// Advances the clock until the condition holds.
  func eventually(_ condition: @MainActor () -> Bool) async -> Bool {
    await OnsideKitTests.eventually {
      if condition() { return true }
      world.clock.advance(5)
      return false
    }
  }

  /// Ends the wait of the first event for others, which sends them, until the condition holds. The deadline of the
  /// request does not pass.
  func sent(_ condition: @MainActor () -> Bool) async -> Bool {
    guard await OnsideKitTests.eventually({ world.clock.sleepers(endingIn: 2) == 1 }) else { return false }
    world.clock.advance(2)
    return await OnsideKitTests.eventually(condition)
  }

  /// Waits until everything that was tracked is on disk.
  func kept(_ count: Int) async -> Bool {
    await OnsideKitTests.eventually { self.onDisk == count }
  }

  var onDisk: Int {
    batchFiles.reduce(0) { sum, name in
      let data = (try? Data(contentsOf: folder.appending(path: name))) ?? Data()
      return sum + String(decoding: data, as: UTF8.self).components(separatedBy: #""name":"e"#).count - 1
    }
  }
}

@MainActor
@Suite(.timeLimit(.minutes(5)))
struct EventQueueTests {
  @Test("EVT-2: events are gathered and sent in one batch, with what the app said of them")
  func sent() async throws {
    let app = try EventRig()
    app.client.trackEvent("e1", parameters: ["amount": 9.99, "level": 3, "tags": ["a", 1, true], "new": false])
    app.client.trackEvent(.purchaseCompleted)
    #expect(await app.eventually { Set(app.heard.map(\.id)).count == 2 })
    let first = try #require(app.heard.first)
    #expect(
      first.parameters == [
        "amount": .single(.number(9.99)), "level": .single(.integer(3)), "new": .single(.flag(false)),
        "tags": .list([.text("a"), .integer(1), .flag(true)]),
      ])
    // A batch is sent again when the connection breaks; the store counts each event once.
    #expect(app.requests.allSatisfy { $0.events.map(\.name) == ["e1", "purchase_completed"] })
    #expect(first.country == CountryCode(alpha2: "DE") && first.at == 1_800_000_000_000)
    let expected = await app.client.installationIdentifier()
    #expect(app.requests.first?.installationID.description == expected)
    #expect(
      app.harness.server.requests("/v1/events").allSatisfy { $0.bearer == nil && $0.headers["onside-app"] != nil })
    #expect(await eventually { app.batchFiles.isEmpty }, "what was heard leaves the disk")
    await app.client.close()
  }

  @Test("EVT-2: events that were tracked without a network come after restarts, each with its id, none lost")
  func restarts() async throws {
    let app = try EventRig(.none)
    for number in 0..<5 { app.client.trackEvent("e\(number)") }
    await app.restart()
    for number in 5..<8 { app.client.trackEvent("e\(number)") }
    await app.restart()
    #expect(app.onDisk == 8)
    app.answer(.json(204, ""))
    #expect(await app.eventually { Set(app.heard.map(\.name)).count == 8 && app.client.events?.count == 0 })
    #expect(Set(app.heard.map(\.id)).count == 8)
    let firsts = app.heard.map(\.name).reduce(into: [String]()) { if !$0.contains($1) { $0.append($1) } }
    #expect(firsts == (0..<8).map { "e\($0)" }, "the oldest first")
    await app.restart()
    #expect(app.batchFiles.isEmpty && app.client.events?.count == 0)
    await app.client.close()
  }

  @Test("EVT-2: a lost answer repeats the batch with the same ids")
  func lostAnswer() async throws {
    let app = try EventRig(.none)
    app.client.trackEvent("e1")
    #expect(await app.eventually { app.requests.count >= 2 })
    app.answer(.json(204, ""))
    #expect(await app.eventually { app.client.events?.count == 0 })
    #expect(Set(app.heard.map(\.id)).count == 1)
    await app.client.close()
  }

  nonisolated static let waits: [HTTPServerDouble.Answer] = [
    .json(500, ""), .json(503, ""), .json(429, ""), .json(404, ""), .json(200, "<html>"),
    .redirect("http://127.0.0.1:1"),
    .json(400, "<html>"),
  ]

  @Test("EVT-2: whatever is not the store's own word is tried again", arguments: waits.indices)
  func triedAgain(index: Int) async throws {
    let app = try EventRig(Self.waits[index])
    app.client.trackEvent("e1")
    #expect(await app.eventually { app.requests.count >= 3 })
    #expect(app.client.events?.count == 1)
    await app.client.close()
  }

  @Test("EVT-2: a batch that the store refuses for ever is given up, and the next one goes on")
  func refused() async throws {
    let app = try EventRig(.json(400, problem(400, code: "invalid_request")))
    app.client.trackEvent("e1")
    #expect(await app.sent { app.requests.count == 1 && app.client.events?.count == 0 })
    app.answer(.json(204, ""))
    app.client.trackEvent("e2")
    #expect(await app.sent { app.heard.map(\.name) == ["e1", "e2"] })
    #expect(app.world.log.lines(.error).count == 1)
    await app.client.close()
  }

  @Test("EVT-2: memory and disk hold 10,000 events, the newest")
  func bounded() async throws {
    let app = try EventRig(.none)
    for number in 0..<12_345 {
      // The test's randomness repeats itself soon; the time keeps the ids apart.
      app.world.clock.advance(0.001)
      app.client.trackEvent("e\(number)")
    }
    #expect(app.client.events?.count == 10_000)
    await app.restart()
    #expect(app.onDisk == 10_000 && app.batchFiles.count <= 101)
    app.answer(.json(204, ""))
    #expect(await app.eventually { app.client.events?.count == 0 && app.batchFiles.isEmpty })
    let newest = Set((2_345..<12_345).map { "e\($0)" })
    let missing = newest.subtracting(app.heard.map(\.name)).count
    #expect(missing == 0)
    #expect(app.world.log.lines(.warning).count { $0.contains("oldest are dropped") } == 1)
    await app.client.close()
  }

  @Test("EVT-2: an event is written to the disk while the store has not answered")
  func onDiskSoon() async throws {
    let app = try EventRig(.silence)
    app.client.trackEvent("e1")
    #expect(await app.kept(1))
    await app.client.close()
  }

  @Test("EVT-2: damaged files are thrown away, and nothing else is")
  func damaged() async throws {
    let app = try EventRig(.none)
    app.client.trackEvent("e1")
    await app.restart()
    for (name, content) in [("x.json", "{"), ("y.json.tmp", ""), ("z.json", #"{"version":9}"#)] {
      try Data(content.utf8).write(to: app.folder.appending(path: name))
    }
    await app.restart()
    app.answer(.json(204, ""))
    #expect(await app.eventually { app.client.events?.count == 0 && app.batchFiles.isEmpty })
    #expect(Set(app.heard.map(\.name)) == ["e1"] && !app.files.contains("y.json.tmp"))
    await app.client.close()
  }

  @Test("EVT-2: a disk that takes nothing costs no event as long as the process lives")
  func fullDisk() async throws {
    let app = try EventRig()
    try FileManager.default.createDirectory(at: app.world.folder, withIntermediateDirectories: true)
    try Data().write(to: app.folder)
    app.client.trackEvent("e1")
    #expect(await app.eventually { app.heard.map(\.name) == ["e1"] })
    #expect(!app.world.log.lines(.error).isEmpty)
    await app.client.close()
  }

  @Test("EVT-3: events of the same moment keep their order; a clock that is set back is followed")
  func order() {
    var times = EventTimes()
    #expect([5, 5, 5, 6, 20, 19].map { times.next($0) } == [5, 6, 7, 8, 20, 21])
    #expect([-5000, -5000].map { times.next($0) } == [-5000, -4999])
  }

  @Test("EVT-1: an event that breaks the rules never throws, and is spoken of once per name")
  func rules() async throws {
    let app = try EventRig()
    for _ in 0..<3 {
      app.client.trackEvent("onside_login")
      app.client.trackEvent("", parameters: ["a": 1])
      app.client.trackEvent(
        "e1", parameters: ["nan": .number(.nan), "secret": .string(String(repeating: "p", count: 200)), "x": [[1], 2]])
    }
    #expect(await app.eventually { app.heard.count == 3 })
    #expect(app.heard.first?.parameters["nan"] == nil && app.heard.first?.parameters["x"] == .list([.integer(2)]))
    #expect(app.world.log.lines(.warning).count == 3)
    #expect(!app.world.log.text.contains("ppp"), "values may be personal")
    await app.client.close()
  }

  @Test("ACC-5, EVT-2: in local testing events are checked and go nowhere")
  func local() async throws {
    let harness = try LocalRig()
    harness.client.trackEvent("fine")
    harness.client.trackEvent("not fine")
    #expect(harness.world.log.lines(.warning).count == 1)
    await harness.close()
    #expect(!FileManager.default.fileExists(atPath: harness.world.folder.appending(path: "events").path))
  }
}
