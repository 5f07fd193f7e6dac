import Foundation
import Logging
import OnsideAPI
import OnsideCommerce
import Synchronization
import TestSupport
import Testing

@testable import OnsideKit

@Suite("Orders that this version does not understand", .timeLimit(.minutes(5)))
struct UnreadOrderTests {
  private static let poison = #"{"id":"01890000-0000-7000-8000-000000000009","state":"disputed"}"#

  /// A store whose answers to a sync depend on the cursor that it is given.
  private func harness(_ answers: [String: String]) throws -> RemoteHarness {
    let harness = try RemoteHarness { request in
      switch request.path {
      case "/v1/sync": .json(200, answers[request.query["cursor"]?.first ?? ""] ?? "")
      case "/v1/restorable": .json(200, #"{"orders":[\#(Self.poison),\#(WireTests.order)]}"#)
      default: .json(404, "")
      }
    }
    try harness.signIn()
    return harness
  }

  private static func answer(_ cursor: String, orders: String...) -> String {
    #"{"cursor":"\#(cursor)","country":"NL","orders":[\#(orders.joined(separator: ","))]}"#
  }

  private func store(_ harness: RemoteHarness, build: String) -> RemoteStore {
    var dependencies = harness.world.dependencies()
    dependencies.appBuild = build
    return RemoteStore(store: harness.server.url, app: "io.example.lumen", dependencies: dependencies)
  }

  private func asked(_ harness: RemoteHarness) -> [String] {
    harness.server.requests.map { $0.query["cursor"]?.first ?? "" }
  }

  private func warnings(_ harness: RemoteHarness) -> Int {
    harness.world.log.lines(.warning).count { $0.contains("does not understand") }
  }

  @Test("QUE-26: the order is skipped and logged once, the sync goes on, and another build asks again")
  func sync() async throws {
    let harness = try harness([
      "c1": Self.answer("c2", orders: Self.poison, WireTests.order), "c2": Self.answer("c3"), "c3": Self.answer("c3"),
    ])
    let old = store(harness, build: "1")
    let first = try await old.sync(since: "c1", wait: 0)
    #expect(first.orders.count == 1)
    let second = try await old.sync(since: first.cursor, wait: 0)
    let third = try await old.sync(since: second.cursor, wait: 0)
    #expect(third.cursor == second.cursor, "nothing has changed: the queue takes a breath")
    _ = try await old.sync(since: "c1", wait: 0)
    #expect(warnings(harness) == 1)

    let sameBuild = store(harness, build: "1")
    _ = try await sameBuild.sync(since: third.cursor, wait: 0)
    let newBuild = store(harness, build: "2")
    let again = try await newBuild.sync(since: third.cursor, wait: 25)
    #expect(again.orders.count == 1)
    #expect(asked(harness) == ["c1", "c2", "c3", "c1", "c3", "c1"])
    #expect(harness.server.requests.last?.query["wait"] == ["0"])
  }

  @Test("QUE-26: a build that understands the order goes on from the store's own cursor")
  func understood() async throws {
    let answers = Mutex(["c1": Self.answer("c2", orders: Self.poison)])
    let harness = try RemoteHarness { .json(200, answers.withLock { $0 }[$0.query["cursor"]?.first ?? ""] ?? "") }
    try harness.signIn()
    let kept = try await store(harness, build: "1").sync(since: "c1", wait: 0).cursor
    answers.withLock { $0 = ["c1": Self.answer("c9", orders: WireTests.order)] }
    let message = try await store(harness, build: "2").sync(since: kept, wait: 0)
    #expect(message.orders.count == 1 && message.cursor == "c9")
  }

  @Test("QUE-26: a first sync that was incomplete is repeated by another build, and nothing since then is passed over")
  func startingOver() async throws {
    let harness = try harness([
      "": Self.answer("c1", orders: Self.poison), "c1": Self.answer("c2", orders: WireTests.order),
    ])
    let kept = try await store(harness, build: "1").sync(since: nil, wait: 0).cursor
    let newBuild = store(harness, build: "2")
    let repeated = try await newBuild.sync(since: kept, wait: 0)
    let next = try await newBuild.sync(since: repeated.cursor, wait: 0)
    #expect(next.orders.count == 1)
    #expect(asked(harness) == ["", "", "c1"])
  }

  @Test("QUE-26: a restore brings back what is understood")
  func restore() async throws {
    let harness = try harness([:])
    let restorableCount = try await store(harness, build: "1").restorable().count
    #expect(restorableCount == 1)
    #expect(warnings(harness) == 1)
  }

  @Test("QUE-26: a cursor of the store that looks like anything is kept as it is")
  func otherCursors() {
    for text in ["c1", "{", "{}", #"{"cursor":"c"}"#, ""] {
      #expect(SyncBookmark(text).question(for: "1").cursor == text)
      #expect(SyncBookmark(text).text == text)
    }
    #expect(SyncBookmark(nil).question(for: "1").cursor == nil)
  }

  @Test("QUE-26: the running program names its build, and the same one each time")
  func build() {
    #expect(!AppBuild.current.isEmpty && AppBuild.current == AppBuild.current)
  }
}
