import Foundation
import OnsideAPI
import OnsideCommerce
import StoreBaseTestSupport
import Testing

@testable import OnsideStore
@testable import StoreAnalytics
@testable import StoreBase

@Suite(.timeLimit(.minutes(5))) struct FunnelTests {
  private func at(_ seconds: Double) -> Date { Date(timeIntervalSince1970: 1_780_000_000 + seconds) }

  private func depth(_ events: [(String, Double)], steps: String..., window: Double = 10) -> Int {
    Funnel(steps: steps, window: window).path(events.map { Funnel.Event(name: $0.0, at: at($0.1)) })?.depth ?? 0
  }

  @Test("EVT-3: steps count in their order and within the time from the first")
  func order() {
    #expect(depth([], steps: "a") == 0)
    #expect(depth([("b", 0), ("a", 1)], steps: "a", "b") == 1)
    #expect(depth([("a", 0), ("x", 1), ("b", 2)], steps: "a", "b") == 2)
    #expect(depth([("a", 0), ("b", 10)], steps: "a", "b") == 2)
    #expect(depth([("a", 0), ("b", 11)], steps: "a", "b") == 1)
    #expect(depth([("a", 0), ("b", 9), ("c", 11)], steps: "a", "b", "c") == 2)
    #expect(depth([("a", 0), ("a", 5), ("b", 12)], steps: "a", "b") == 2, "a later try counts")
    #expect(depth([("a", 0), ("b", 1), ("a", 2), ("c", 9)], steps: "a", "b", "c") == 3, "an earlier try goes on")
    #expect(depth([("a", 0)], steps: "a", "a") == 1, "one event is one step")
    #expect(depth([("a", 0), ("a", 1)], steps: "A", "a") == 2)
  }

  /// The same by trying every start and every choice of events.
  private func exhaustive(_ events: [Funnel.Event], of funnel: Funnel) -> Int {
    func furthest(_ step: Int, from index: Int, start: Date?) -> Int {
      guard step < funnel.steps.count else { return step }
      var best = step
      for next in events.indices.dropFirst(index) where events[next].name == funnel.steps[step] {
        let start = start ?? events[next].at
        guard events[next].at.timeIntervalSince(start) <= funnel.window else { continue }
        best = max(best, furthest(step + 1, from: next + 1, start: start))
      }
      return best
    }
    return furthest(0, from: 0, start: nil)
  }

  @Test("EVT-3: the count is what trying every way through the events gives", arguments: 0..<20)
  func exhaustively(seed: UInt64) {
    var fuzzer = Fuzzer(seed: seed)
    for _ in 0..<100 {
      let names = ["a", "b", "c"]
      let funnel = Funnel(
        steps: (0..<Int.random(in: 1...4, using: &fuzzer)).map { _ in fuzzer.pick(names) },
        window: Double.random(in: 0...20, using: &fuzzer).rounded())
      let events = (0..<Int.random(in: 0...9, using: &fuzzer)).map { _ in
        Funnel.Event(name: fuzzer.pick(names + ["x"]), at: at(Double(Int.random(in: 0...30, using: &fuzzer))))
      }.sorted { $0.at < $1.at }
      #expect(funnel.path(events)?.depth ?? 0 == exhaustive(events, of: funnel), "\(funnel) \(events)")
    }
  }

  @Test("EVT-3: a funnel shows the counts that the events hold, by country and by week, for one app")
  func report() async throws {
    let world = try await EventStore()
    let germany = try #require(CountryCode(alpha2: "DE"))
    let week = 7 * 86_400.0
    let people: [(country: CountryCode?, events: [(String, Double)])] = [
      (.netherlands, [("Opened", 100), ("carted", 90), ("paid", 80)]),
      (.netherlands, [("opened", 100), ("paid", 90)]),
      (germany, [("opened", week + 100), ("carted", week + 50), ("paid", 10)]),
      (nil, [("opened", 50), ("carted", 40), ("opened", 30)]),
      (germany, [("carted", 50), ("paid", 40)]),
    ]
    try await world.store.test { client in
      for person in people {
        let events = person.events.map { world.event($0.0, ago: $0.1, country: person.country) }
        let installation = world.installation()
        for event in events.shuffled() { try await world.send([event], of: installation, with: client) }
        try await world.send(events, of: installation, with: client)
      }
      try await world.send([world.event("opened")], of: world.installation(), app: EventStore.tideline, with: client)
    }
    let report = try await world.report("opened", "CARTED", "paid")
    #expect(report.steps == ["opened", "carted", "paid"] && report.counts == [4, 3, 1])
    #expect(report.countries.map { "\($0.name) \($0.counts)" } == ["NL [2, 1, 1]", "- [1, 1, 0]", "DE [1, 1, 0]"])
    #expect(report.weeks.map { "\($0.name) \($0.counts)" } == ["2026-W21 [1, 1, 0]", "2026-W22 [3, 2, 1]"])
    let counts = try await world.report("opened", app: EventStore.tideline).counts
    #expect(counts == [1])
    let secondCounts = try await world.report("never", "paid").counts
    #expect(secondCounts == [0, 0])
  }

  @Test("EVT-3: more events than are read at once are all counted")
  func pages() async throws {
    let world = try await EventStore()
    let now = world.store.clock.now()
    try await world.store.core.dependencies.database.write(at: now) { transaction in
      for number in 0..<30_001 {
        func id(_ number: Int) -> UUID {
          UUID.version7(at: now, random: [0, 0, 0, UInt8(number >> 8), UInt8(number & 255)])
        }
        let record = EventRecord(
          id: EventID(id(number)), installation: InstallationID(id(number / 3)),
          name: ["a", "b", "c"][number % 3], country: nil, happenedAt: now, source: .sdk, parameters: "{}")
        try EventRecords.insert(record, app: EventStore.lumen, in: transaction)
      }
    }
    let counts = try await world.report("a", "b", "c").counts
    #expect(counts == [10_001, 10_000, 10_000])
  }

  @Test("EVT-3: the page shows every count as text beside the plot, and runs nothing")
  func page() async throws {
    let funnel = Funnel(steps: ["opened", "paid"], window: 604_800)
    let start = Funnel.Event(name: "opened", at: at(0), country: "NL")
    let report = FunnelReport(
      app: #"a<b>"&"#, funnel: funnel,
      paths: [Funnel.Path(depth: 2, start: start), .init(depth: 1, start: start), .init(depth: 1, start: start)])
    let html = FunnelPage(report, madeAt: "Made today.").html
    for text in ["opened", "paid", "3 · 100.0 %", "1 · 33.3 %", ">NL<", ">2026-W22<", "within 1 week", "Made today."] {
      #expect(html.contains(text), "\(text)")
    }
    #expect(!html.contains("<script") && !html.contains("a<b>") && html.contains("prefers-color-scheme:dark"))
    #expect(html.contains("default-src 'none'") && html.contains("role=\"img\""))
    let empty = FunnelPage(FunnelReport(app: "a", funnel: funnel), madeAt: "").html
    #expect(empty.contains("0 · 0.0 %") && !empty.contains("By week"))
  }
}
