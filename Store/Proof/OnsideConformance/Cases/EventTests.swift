import ConformanceTable
import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit
import OnsideStore
import StoreAccounts
import StoreAnalytics
import StoreBase
import StoreTestSupport
import Testing

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

@MainActor
@Suite(
  "Events", .serialized, .columns(.store, because: "a local store counts no events"), .timeLimit(.minutes(5))
)
struct EventTests {
  private func report(_ system: TestedSystem, steps: String...) async throws -> FunnelReport {
    let query = FunnelQuery(
      app: TestedSystem.app, funnel: Funnel(steps: steps, window: 3600), range: .distantPast ..< .distantFuture)
    return try await query.report(system.core.dependencies.database)
  }

  /// The events that the store holds, by name.
  private func counts(_ system: TestedSystem) async throws -> [String: Int] {
    try await system.core.dependencies.database.read { connection in
      Dictionary(
        uniqueKeysWithValues: try connection.rows("SELECT name, count(*) AS n FROM events GROUP BY name").map {
          (try $0.text("name"), Int(try $0.integer("n")))
        })
    }
  }

  private func until(_ system: TestedSystem, counts: [String: Int]) async throws {
    try await NamedDeadline.wait(for: "the counts \(counts)") { try await self.counts(system) == counts }
  }

  @Test("EVT-2: whatever the network does, every event is counted once, also over restarts")
  func onceOverAll() async throws {
    try await TestedSystem.run { system in
      let device = try await system.device(of: system.user())
      system.network.disturb(.call(.events), with: .refuse, times: 1)
      system.network.disturb(.call(.events), with: .loseAnswer, times: 1)
      system.network.disturb(.call(.events), with: .answer(502, "<html>"), times: 1)
      system.network.disturb(.call(.events), with: .twice, times: 1)
      for number in 0..<3 {
        for _ in 0..<50 { device.client.trackEvent("round_\(number)") }
        try await device.restart()
      }
      try await until(system, counts: ["round_0": 50, "round_1": 50, "round_2": 50])
      #expect(device.user.visits.value.isEmpty, "ACC-5: no login is needed for it")
    }
  }

  @Test("EVT-2: events that are tracked while the store is down arrive when it is back")
  func storeDown() async throws {
    try await TestedSystem.run { system in
      await system.closeStore()
      let device = try await system.device(of: system.user())
      for number in 0..<250 { device.client.trackEvent("offline", parameters: ["n": .integer(number)]) }
      try await device.restart()
      device.client.trackEvent("afterwards")
      try await system.openStore()
      try await until(system, counts: ["offline": 250, "afterwards": 1])
    }
  }

  @Test("EVT-1: what breaks the rules is changed or dropped before it leaves the device")
  func rules() async throws {
    try await TestedSystem.run { system in
      let device = try await system.device(of: system.user())
      device.client.trackEvent("onside_login")
      device.client.trackEvent("no good")
      device.client.trackEvent(
        String(repeating: "N", count: 50),
        parameters: ["nan": .number(.nan), "text": .string(String(repeating: "x", count: 101)), "$$": 1])
      try await until(system, counts: [String(repeating: "n", count: 40): 1])
      let sent = try #require(system.network.exchanges.value.first { $0.request.path == Route.events.path })
      let request = try WireCoding.decoder().decode(EventsRequest.self, from: Data(sent.request.text.utf8))
      #expect(request.events.map(\.name) == [String(repeating: "N", count: 40)])
      #expect(request.events.first?.parameters == ["text": .single(.text(String(repeating: "x", count: 100)))])
      #expect(device.warnings.count == 3)
    }
  }

  @Test("EVT-3, MER-3: a funnel counts what devices and a merchant's server report, by country")
  func funnel() async throws {
    try await TestedSystem.run { system in
      let pair = try await ServerCredentials(system.core.dependencies.base).add(app: TestedSystem.app)
      var devices: [TestedDevice] = []
      for region in ["NL", "NL", "DE"] {
        let device = try await system.device(of: system.user("+3161234567\(devices.count)")) { $0.region = region }
        device.client.trackEvent("shop_opened")
        devices.append(device)
      }
      for device in devices.dropFirst() { device.client.trackEvent("product_seen") }
      try await until(system, counts: ["shop_opened": 3, "product_seen": 2])
      let buyer = await devices[1].client.installationIdentifier()
      let status = try await system.report(
        "purchase_completed", of: buyer, at: Date().addingTimeInterval(60), user: pair.id, password: pair.secret)
      #expect(status == 204)
      let report = try await report(system, steps: "shop_opened", "product_seen", "Purchase_Completed")
      #expect(report.counts == [3, 2, 1])
      #expect(report.countries.map { "\($0.name) \($0.counts)" } == ["NL [2, 1, 1]", "DE [1, 1, 0]"])
    }
  }
}

extension TestedSystem {
  /// Reports an event as a merchant's server does, and returns the status of the answer.
  fileprivate func report(
    _ name: String, of installation: String, at date: Date, user: String, password: String
  ) async throws -> Int {
    var request = URLRequest(url: network.address.appending(path: Route.serverEvents.path))
    request.httpMethod = "POST"
    request.setValue("application/json", forHTTPHeaderField: "Content-Type")
    let credential = Data("\(user):\(password)".utf8).base64EncodedString()
    request.setValue("Basic \(credential)", forHTTPHeaderField: "Authorization")
    let body: [String: Any] = [
      "events": [
        [
          "event_name": name, "payload": ["currency": "EUR", "amount": "9.99"],
          "event_datetime": date.ISO8601Format(), "event_id": UUID().uuidString, "installation_id": installation,
        ] as [String: Any]
      ]
    ]
    request.httpBody = try JSONSerialization.data(withJSONObject: body)
    let (_, response) = try await URLSession.shared.answer(to: request)
    return (response as? HTTPURLResponse)?.statusCode ?? 0
  }
}
