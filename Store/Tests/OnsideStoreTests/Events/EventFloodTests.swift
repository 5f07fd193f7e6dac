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

/// Events without a login are bounded, whatever the number of requests (STO-16).
@Suite("Floods of events", .timeLimit(.minutes(5)))
struct EventFloodTests {
  private static let mebibyte = 1024 * 1024

  /// A batch of about 512 KiB.
  private static func batch(_ world: EventStore) -> [EventMessage] {
    (0..<64).map { number in
      var event = world.event("flood\(number)")
      let text = String(repeating: "x", count: 100)
      for key in 0..<25 { event.parameters["k\(key)"] = .list([.text(text), .text(text), .text(text)]) }
      return event
    }
  }

  private static func bytes(_ world: EventStore, of app: String = EventStore.lumen) async throws -> Int {
    try await world.store.core.dependencies.database.read { connection in
      let rows = try connection.rows("SELECT name, parameters FROM events WHERE app_id = $1", [.text(app)])
      return try rows.reduce(0) {
        $0 + EventRecord.bytes(name: try $1.text("name"), parameters: try $1.text("parameters"))
      }
    }
  }

  @Test(
    "STO-16: an address over its bytes of a day gets 429 until midnight and stores nothing; without a limit all is stored",
    arguments: [false, true])
  func address(isBounded: Bool) async throws {
    let world = try await EventStore { $0.events.bytesPerAddress = isBounded ? 4 * Self.mebibyte : .max }
    try await world.store.test { client in
      var statuses: [HTTPResponse.Status: Int] = [:]
      var wait: Int?
      for _ in 0..<40 {
        let response = try await world.send(Self.batch(world), of: world.installation(), with: client)
        statuses[response.status, default: 0] += 1
        wait = response.headers[.retryAfter].flatMap { Int($0) } ?? wait
      }
      let stored = try await Self.bytes(world)
      print("STO-16: 40 batches from one address, bounded \(isBounded): \(stored / 1024) KiB stored, \(statuses)")
      guard isBounded else {
        #expect(statuses == [.noContent: 40] && stored > 16 * Self.mebibyte)
        return
      }
      #expect(stored > 3 * Self.mebibyte && stored <= 4 * Self.mebibyte)
      let midnight = Date(dayNumber: world.store.clock.now().dayNumber + 1)
      #expect(wait == Int(midnight.timeIntervalSince(world.store.clock.now())))
      world.store.advance(by: .seconds(try #require(wait)))
      let next = try await world.send([world.event("next")], of: world.installation(), with: client)
      #expect(next.status == .noContent)
    }
  }

  @Test("STO-16: batches that an address sends at once share its bytes of a day")
  func parallel() async throws {
    let world = try await EventStore { $0.events.bytesPerAddress = 2 * Self.mebibyte }
    try await world.store.test { client in
      let statuses = try await withThrowingTaskGroup(of: HTTPResponse.Status.self) { group in
        for _ in 0..<16 {
          let (batch, installation) = (Self.batch(world), world.installation())
          group.addTask { try await world.send(batch, of: installation, with: client).status }
        }
        return try await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
      }
      let stored = try await Self.bytes(world)
      #expect(stored <= 2 * Self.mebibyte && statuses[.tooManyRequests] ?? 0 > 10, "\(statuses)")
    }
  }

  @Test("STO-16: over an app's bytes of a day its events get 429, and nothing is deleted; other apps go on")
  func app() async throws {
    let world = try await EventStore {
      $0.isBehindProxy = true
      $0.events.bytesPerApp = 2 * Self.mebibyte
    }
    try await world.store.test { client in
      func send(
        _ batch: [EventMessage], app: String = EventStore.lumen, from address: Int
      ) async throws -> HTTPResponse.Status {
        let headers: HTTPFields = [.onsideApp: app, .forwardedFor: "203.0.113.\(address)"]
        let body = EventsRequest(installationID: world.installation(), events: batch)
        return try await world.post(
          try WireCoding.encoder().encode(body), to: .events, headers: headers, with: client
        ).status
      }
      let oldest = try await send([world.event("oldest")], from: 1)
      #expect(oldest == .noContent)
      var statuses: [HTTPResponse.Status: Int] = [:]
      for address in 2..<12 { statuses[try await send(Self.batch(world), from: address), default: 0] += 1 }
      let stored = try await Self.bytes(world)
      print("STO-16: 10 batches from 10 addresses for an app of 2 MiB: \(stored / 1024) KiB stored, \(statuses)")
      #expect(stored < 3 * Self.mebibyte && statuses[.tooManyRequests] == 6)
      let kept = try await world.kept()
      #expect(kept.contains("oldest sdk"))
      let other = try await send([world.event("other")], app: EventStore.tideline, from: 2)
      #expect(other == .noContent)
      world.store.advance(by: .seconds(86_400))
      let next = try await send([world.event("next")], from: 1)
      #expect(next == .noContent)
    }
  }

  @Test("STO-16: a repeated batch does not count again, neither for the app nor for the address")
  func repeated() async throws {
    let world = try await EventStore {
      $0.events.bytesPerApp = 2 * Self.mebibyte
      $0.events.bytesPerAddress = 2 * Self.mebibyte
    }
    try await world.store.test { client in
      let (batch, installation) = (Self.batch(world), world.installation())
      for _ in 0..<8 {
        let status = try await world.send(batch, of: installation, with: client).status
        #expect(status == .noContent)
      }
      let kept = try await world.kept()
      #expect(kept.count == batch.count)
    }
  }

  @Test("STO-16: with events.from_apps off the events of apps are answered with 204 and not stored")
  func off() async throws {
    let world = try await EventStore { $0.events.areStored = false }
    try await world.store.test { client in
      let response = try await world.send([world.event("a")], of: world.installation(), with: client)
      #expect(response.status == .noContent)
      let kept = try await world.kept()
      #expect(kept == [])
    }
  }

  @Test(
    "STO-16: the counted bytes of small events cover their room in the file", .onSQLite("It reads the file's size."))
  func room() async throws {
    let world = try await EventStore()
    let database = world.store.core.dependencies.database
    @Sendable func size() async throws -> Int64 {
      try await database.read {
        try $0.row("SELECT page_count * page_size AS size FROM pragma_page_count, pragma_page_size")?
          .integer("size") ?? 0
      }
    }
    try await world.store.test { client in
      let before = try await size()
      for _ in 0..<20 {
        let batch = (0..<500).map { _ in world.event("a") }
        let response = try await world.send(batch, of: world.installation(), with: client)
        #expect(response.status == .noContent)
      }
      let (after, counted) = (try await size(), try await Self.bytes(world))
      print("STO-16: 10,000 smallest events take \(after - before) bytes of the file, and count \(counted)")
      #expect(after - before <= Int64(counted))
    }
  }
}
