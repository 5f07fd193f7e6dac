import Foundation
import HTTPTypes
import HummingbirdTesting
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAnalytics
@testable import StoreBase
@testable import StoreWeb

@Suite(.timeLimit(.minutes(5))) struct EventTests {
  @Test("EVT-2: an event that comes several times is counted once by its id")
  func once() async throws {
    let world = try await EventStore()
    try await world.store.test { client in
      let installation = world.installation()
      let (first, second) = (world.event("a"), world.event("b"))
      for batch in [[first], [first, second], [second, second, first]] {
        let response = try await world.send(batch, of: installation, with: client)
        #expect(response.status == .noContent)
      }
      let kept = try await world.kept()
      #expect(kept == ["a sdk", "b sdk"])
    }
  }

  @Test("EVT-2: of the same batch sent many times at once each event is counted once")
  func atOnce() async throws {
    let world = try await EventStore()
    try await world.store.test { client in
      let installation = world.installation()
      let batch = (0..<100).map { world.event("e\($0)") }
      try await withThrowingTaskGroup(of: Void.self) { group in
        for _ in 0..<10 { group.addTask { try await world.send(batch, of: installation, with: client) } }
        try await group.waitForAll()
      }
      let keptCount = try await world.kept().count
      #expect(keptCount == 100)
    }
  }

  @Test("EVT-2: another app that replays an id neither hides nor changes the event")
  func replayed() async throws {
    let world = try await EventStore()
    try await world.store.test { client in
      let event = world.event("paid")
      var forged = event
      forged.name = "nothing"
      try await world.send([forged], of: world.installation(), app: EventStore.tideline, with: client)
      try await world.send([event], of: world.installation(), with: client)
      try await world.send([forged], of: world.installation(), app: EventStore.tideline, with: client)
      let kept = try await world.kept()
      #expect(kept == ["paid sdk"])
      let secondKept = try await world.kept(EventStore.tideline)
      #expect(secondKept == ["nothing sdk"])
    }
  }

  @Test("EVT-1: the store applies the rules again, and takes what is left of a batch")
  func rules() async throws {
    let world = try await EventStore()
    try await world.store.test { client in
      var good = world.event("GoodName")
      good.parameters = [
        "ok": .single(.text(String(repeating: "x", count: 300))), "onside_x": .single(.integer(1)),
        "bad key": .list([]),
      ]
      let batch = [world.event("onside_login"), world.event("no good"), good, world.event("")]
      let response = try await world.send(batch, of: world.installation(), with: client)
      #expect(response.status == .noContent)
      let kept = try await world.kept()
      #expect(kept == ["goodname sdk"])
      let parameters = try await world.parameters()
      #expect(parameters == [#"{"ok":"\#(String(repeating: "x", count: 100))"}"#])
    }
  }

  @Test("EVT-1: a parameter with U+0000 is kept, and the others of its batch")
  func nullCharacter() async throws {
    let world = try await EventStore()
    try await world.store.test { client in
      var event = world.event("a")
      event.parameters = ["text": .single(.text("a\u{0}b"))]
      let response = try await world.send([event, world.event("b")], of: world.installation(), with: client)
      #expect(response.status == .noContent)
      let kept = try await world.kept()
      #expect(kept == ["a sdk", "b sdk"])
      let parameters = try await world.parameters()
      #expect(parameters.contains(#"{"text":"a\u0000b"}"#))
    }
  }

  @Test("EVT-2: a clock that is ahead does not put events into the future, and one before 1970 not into the past")
  func clocks() async throws {
    let world = try await EventStore()
    try await world.store.test { client in
      var early = world.event("b")
      early.at = .min
      try await world.send([world.event("a", ago: -90_000), early], of: world.installation(), with: client)
      let times = try await world.store.core.dependencies.database.read {
        try $0.rows("SELECT happened_at FROM events ORDER BY name").map { try $0.date("happened_at") }
      }
      #expect(times == [world.store.clock.now(), Date(timeIntervalSince1970: 0)])
    }
  }

  @Test("STO-5: a batch of more than 500 events or 1 MB is refused as too large")
  func tooLarge() async throws {
    let world = try await EventStore()
    try await world.store.test { client in
      let many = (0..<501).map { _ in world.event("a") }
      let response = try await world.send(many, of: world.installation(), with: client)
      #expect(response.status == .contentTooLarge)
      let large = Data(repeating: 0x20, count: 1024 * 1024 + 1)
      let status = try await world.post(large, to: .events, headers: [.onsideApp: EventStore.lumen], with: client)
        .status
      #expect(status == .contentTooLarge)
      let kept = try await world.kept()
      #expect(kept == [])
    }
  }

  @Test(
    "STO-4: what is no batch is refused, and nothing of it is kept",
    arguments: [
      "", "null", "[]", #"{"installation_id":"x","events":[]}"#, #"{"events":[]}"#, "NaN",
      #"{"installation_id":"01935b6c-1d2e-7f3a-8b4c-5d6e7f8a9b0c","events":{}}"#,
      #"{"installation_id":"01935b6c-1d2e-7f3a-8b4c-5d6e7f8a9b0c","events":[{"id":"1"}]}"#,
      """
      {"installation_id":"01935b6c-1d2e-7f3a-8b4c-5d6e7f8a9b0c","events":[{"id":"01935b6c-1d2e-7f3a-8b4c-5d6e7f8a9b0c",\
      "name":"a","parameters":{"a":{}},"at":1}]}
      """,
      """
      {"installation_id":"01935b6c-1d2e-7f3a-8b4c-5d6e7f8a9b0c","events":[{"id":"01935b6c-1d2e-7f3a-8b4c-5d6e7f8a9b0c",\
      "name":"a","parameters":{"a":NaN},"at":1}]}
      """,
      """
      {"installation_id":"01935b6c-1d2e-7f3a-8b4c-5d6e7f8a9b0c","events":[{"id":"01935b6c-1d2e-7f3a-8b4c-5d6e7f8a9b0c",\
      "name":"a","parameters":{"a":1e999},"at":1}]}
      """,
      """
      {"installation_id":"01935b6c-1d2e-7f3a-8b4c-5d6e7f8a9b0c","events":[{"id":"01935b6c-1d2e-7f3a-8b4c-5d6e7f8a9b0c",\
      "name":"a","parameters":{},"at":1e30}]}
      """,
    ])
  func malformed(body: String) async throws {
    let world = try await EventStore()
    try await world.store.test { client in
      let response = try await world.post(
        Data(body.utf8), to: .events, headers: [.onsideApp: EventStore.lumen], with: client)
      let code = try response.problem().code
      #expect(code == .invalidRequest)
      let kept = try await world.kept()
      #expect(kept == [])
    }
  }

  @Test("Events are forgotten when the operator's time for them is over")
  func retention() async throws {
    let world = try await EventStore()
    try await world.store.test { client in
      try await world.send([world.event("a")], of: world.installation(), with: client)
      world.store.clock.advance(by: .seconds(399 * 86_400))
      try await world.store.core.events.clear()
      let keptCount = try await world.kept().count
      #expect(keptCount == 1)
      world.store.clock.advance(by: .seconds(2 * 86_400))
      try await world.store.core.events.clear()
      let kept = try await world.kept()
      #expect(kept == [])
    }
  }
}
