import Foundation
import HTTPTypes
import HummingbirdTesting
import NIOCore
import OnsideAPI
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreBase
@testable import StoreSales
@testable import StoreWeb

/// The server-to-server events of contract, section 4.3.
@Suite(.timeLimit(.minutes(5))) struct ServerEventTests {
  private static let documented = """
    {"events":[{"event_name":"PURCHASE_completed","payload":{"currency":"EUR","amount":"9.99","items":[{"sku":1}]},\
    "event_datetime":"2026-05-28T09:30:00Z","event_id":"2c5ea4c0-4067-41e9-8bad-9b1deb4d3b7d",\
    "installation_id":"01935b6c-1d2e-7f3a-8b4c-5d6e7f8a9b0c"}]}
    """

  private func basic(_ user: String, password: String) -> HTTPFields {
    [.authorization: "Basic " + Data("\(user):\(password)".utf8).base64EncodedString()]
  }

  private func credential(_ world: EventStore, app: String = EventStore.lumen) async throws -> HTTPFields {
    let pair = try await ServerCredentials(world.store.core.dependencies.base).add(app: app)
    return basic(pair.id, password: pair.secret)
  }

  private func event(_ number: Int, name: String = "e") -> ServerEventMessage {
    ServerEventMessage(
      eventName: name, payload: ["n": .integer(Int64(number))], eventDatetime: "2026-05-28T09:30:00Z",
      eventID: EventID(UUID.version7(at: .distantPast, random: [UInt8(number >> 8), UInt8(number & 255)])),
      installationID: InstallationID(UUID.version7(at: .distantPast, random: [9])))
  }

  private func body(_ events: [ServerEventMessage]) throws -> Data {
    try WireCoding.encoder().encode(ServerEventsRequest(events: events))
  }

  @Test("MER-3: events of a merchant's server are taken with 204 and counted once, names without regard to case")
  func taken() async throws {
    let world = try await EventStore()
    let credential = try await credential(world)
    try await world.store.test { client in
      for _ in 0..<2 {
        let response = try await world.post(
          Data(Self.documented.utf8), to: .serverEvents, headers: credential, with: client)
        #expect(response.status == .noContent && response.body.readableBytes == 0)
      }
      let kept = try await world.kept()
      #expect(kept == ["purchase_completed server"])
      let parameters = try await world.parameters()
      #expect(parameters == [#"{"amount":"9.99","currency":"EUR","items":[{"sku":1}]}"#])
    }
  }

  @Test("MER-3: 1,000 events and 1 MB are taken; one more of either is 413, and nothing of it is kept")
  func limits() async throws {
    let world = try await EventStore()
    let credential = try await credential(world)
    try await world.store.test { client in
      let many = (0..<1001).map { event($0) }
      let status = try await world.post(body(many), to: .serverEvents, headers: credential, with: client).status
      #expect(status == .contentTooLarge)
      var large = try body([event(0)])
      large += Data(repeating: 0x20, count: 1024 * 1024 - large.count + 1)
      let secondStatus = try await world.post(large, to: .serverEvents, headers: credential, with: client).status
      #expect(secondStatus == .contentTooLarge)
      let kept = try await world.kept()
      #expect(kept == [])
      let thirdStatus = try await world.post(large.dropLast(), to: .serverEvents, headers: credential, with: client)
        .status
      #expect(thirdStatus == .noContent)
      let fourthStatus = try await world.post(
        body(many.dropLast()), to: .serverEvents, headers: credential, with: client
      ).status
      #expect(fourthStatus == .noContent)
      let keptCount = try await world.kept().count
      #expect(keptCount == 1000)
    }
  }

  @Test(
    "MER-3: what is malformed is 400 and names the field; nothing of the request is kept",
    arguments: [
      ("{", ""), ("[]", ""), ("{}", "events"), (#"{"events":{}}"#, "events"),
      (documented.replacing("2c5ea4c0-4067", with: "2c5ea4c0_4067"), "event_id"),
      (documented.replacing("01935b6c-1d2e", with: ""), "installation_id"),
      (documented.replacing("2026-05-28T09:30:00Z", with: "yesterday"), "event_datetime"),
      (documented.replacing("2026-05-28T09:30:00Z", with: "2026-05-28"), "event_datetime"),
      (documented.replacing("PURCHASE_completed", with: "onside_x"), "event_name"),
      (documented.replacing("PURCHASE_completed", with: "a\\u0000b"), "event_name"),
      (documented.replacing(#"{"currency":"EUR","amount":"9.99","items":[{"sku":1}]}"#, with: "[]"), "payload"),
      (documented.replacing(#""9.99""#, with: "NaN"), ""), (documented.replacing(#""9.99""#, with: "1e999"), ""),
      (documented.replacing(#""event_name":"PURCHASE_completed","#, with: ""), "event_name"),
      (
        documented.replacing(
          #""9.99""#, with: String(repeating: "[", count: 100_000) + String(repeating: "]", count: 100_000)), ""
      ),
    ])
  func malformed(text: String, field: String) async throws {
    let world = try await EventStore()
    let credential = try await credential(world)
    try await world.store.test { client in
      let good = Self.documented.dropFirst(11).dropLast(2)
      let bodies = [text] + (text.hasPrefix(#"{"events":[{"#) ? ["\(text.dropLast(2)),\(good)]}"] : [])
      for body in bodies {
        let response = try await world.post(Data(body.utf8), to: .serverEvents, headers: credential, with: client)
        let problem = try response.problem()
        #expect(problem.status == 400 && problem.code == .invalidRequest)
        #expect(field.isEmpty || problem.detail?.contains(field) == true, "\(problem.detail ?? "-")")
      }
      let kept = try await world.kept()
      #expect(kept == [])
    }
  }

  @Test("MER-3: dates with an offset or a fraction are understood")
  func dates() async throws {
    let world = try await EventStore()
    let credential = try await credential(world)
    try await world.store.test { client in
      for (number, date) in ["2026-05-28T11:30:00+02:00", "2026-05-28T09:30:00.000Z"].enumerated() {
        var event = event(number)
        event.eventDatetime = date
        let status = try await world.post(body([event]), to: .serverEvents, headers: credential, with: client).status
        #expect(status == .noContent)
      }
      let times = try await world.store.core.dependencies.database.read {
        try $0.rows("SELECT DISTINCT happened_at FROM events").map { try $0.date("happened_at") }
      }
      #expect(times.map { $0.ISO8601Format() } == ["2026-05-28T09:30:00Z"])
    }
  }

  @Test("MER-3: without a right credential it is 401, asks for Basic, and says nothing more")
  func credentials() async throws {
    let world = try await EventStore()
    let credentials = ServerCredentials(world.store.core.dependencies.base)
    let pair = try await credentials.add(app: EventStore.lumen)
    let other = try await credentials.add(app: EventStore.tideline)
    try await world.store.test { client in
      let wrong: [HTTPFields] = [
        [:], basic(pair.id, password: "x"), basic("x", password: pair.secret), basic(pair.id, password: other.secret),
        basic("", password: ""),
        basic(pair.id, password: pair.secret.sha256Base64URL), [.authorization: "Bearer \(pair.secret)"],
        [.authorization: "Basic %%%"], [.authorization: "Basic"],
        [.authorization: "Basic " + Data("no colon".utf8).base64EncodedString()],
        basic("' OR '1'='1", password: "' OR '1'='1"), basic(pair.id, password: String(repeating: "x", count: 1000)),
      ]
      for headers in wrong {
        let response = try await world.post(
          Data(Self.documented.utf8), to: .serverEvents, headers: headers, with: client)
        let code = try response.problem().code
        #expect(code == .notAuthenticated)
        #expect(response.headers[.wwwAuthenticate]?.hasPrefix("Basic ") == true)
      }
      let right = basic(pair.id, password: pair.secret)
      let status = try await world.post(Data(Self.documented.utf8), to: .serverEvents, headers: right, with: client)
        .status
      #expect(status == .noContent)
      let actualKept = try await world.kept()
      #expect(actualKept == ["purchase_completed server"])
      #expect(try await credentials.remove(pair.id))
      let secondStatus = try await world.post(
        Data(Self.documented.utf8), to: .serverEvents, headers: right, with: client
      ).status
      #expect(secondStatus == .unauthorized)
    }
    let kept = try await world.store.core.dependencies.database.read {
      try $0.rows("SELECT * FROM server_credentials").map { "\($0)" }.joined()
    }
    #expect(!kept.contains(pair.secret) && !kept.contains(other.secret), "SEC-1: only the hash is kept")
  }

  @Test("MER-3: a credential of one app reports for that app only, and not for one that is gone")
  func ownApp() async throws {
    let world = try await EventStore()
    let credential = try await credential(world)
    try await world.store.test { client in
      var headers = credential
      headers[.onsideApp] = EventStore.tideline
      let status = try await world.post(Data(Self.documented.utf8), to: .serverEvents, headers: headers, with: client)
        .status
      #expect(status == .noContent)
      let kept = try await world.kept(EventStore.tideline)
      #expect(kept == [])
      try await world.store.core.apps.remove(EventStore.lumen)
      let secondStatus = try await world.post(
        Data(Self.documented.utf8), to: .serverEvents, headers: credential, with: client
      ).status
      #expect(secondStatus == .unauthorized)
    }
  }
}
