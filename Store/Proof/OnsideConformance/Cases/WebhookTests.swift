import ConformanceTable
import Crypto
import Foundation
import OnsideAPI
import OnsideKit
import OnsideStore
import StoreMerchants
import StoreTestSupport
import Testing

/// Merchants' servers, which receive events.
@MainActor
@Suite(
  "Webhooks", .serialized, .columns(.store, because: "a local store has no merchant's server"),
  .timeLimit(.minutes(5)))
struct WebhookTests {
  @Test("WHK-1: a sale reaches the endpoint as a signed event; after a rotation both secrets sign")
  func signed() async throws {
    try await TestedSystem.run { system in
      try await WebhookSite.run { site in
        let endpoint = try await system.endpoint(site.address("/a"), types: [.orderPaid])
        let device = try await system.signedInDevice(of: system.user())
        let first = try await device.buy(ExampleProducts.coins)
        let delivery = try await site.delivery(1, at: "/a")
        let event = try WireCoding.decoder().decode(MerchantEventMessage.self, from: delivery.body)
        #expect(event.data.objectID == first.id.uuidString.lowercased() && event.id == delivery.id)
        #expect(delivery.isSigned(by: [endpoint.secret]))
        let age = try #require(TimeInterval(delivery.timestamp)) - Date().timeIntervalSince1970
        #expect(age.magnitude < 60)
        let next = try #require(try await system.operate { try await $0.webhooks.rotate(endpoint.endpoint.id) })
        _ = try await device.buy(ExampleProducts.coins)
        let second = try await site.delivery(2, at: "/a")
        #expect(second.isSigned(by: [next, endpoint.secret]))
      }
    }
  }

  @Test("WHK-2: a rejected event is sent again with the same id and body, and both attempts are listed")
  func retried() async throws {
    try await TestedSystem.run { system in
      try await WebhookSite.run { site in
        site.answer(500, at: "/a")
        let endpoint = try await system.endpoint(site.address("/a"), types: [.orderPaid])
        let device = try await system.signedInDevice(of: system.user())
        _ = try await device.buy(ExampleProducts.coins)
        let first = try await site.delivery(1, at: "/a")
        site.answer(204, at: "/a")
        let second = try await site.delivery(2, at: "/a")
        #expect(second.id == first.id && second.body == first.body)
        let id = endpoint.endpoint.id
        try await NamedDeadline.wait(for: "both attempts in the log") {
          try await system.operate { try await $0.webhooks.attempts(id) }?.map(\.outcome) == [
            .delivered, .rejectedStatus,
          ]
        }
      }
    }
  }

  @Test("WHK-3: an endpoint that does not answer delays no other")
  func dead() async throws {
    try await TestedSystem.run { system in
      try await WebhookSite.run { site in
        site.answer(0, at: "/dead")
        _ = try await system.endpoint(site.address("/dead"))
        _ = try await system.endpoint(site.address("/good"), types: [.orderPaid])
        let device = try await system.signedInDevice(of: system.user())
        for count in 1...3 {
          _ = try await device.buy(ExampleProducts.coins)
          _ = try await site.delivery(count, at: "/good", within: .seconds(10))
        }
        #expect(!site.deliveries(at: "/dead").isEmpty)
      }
    }
  }

  @Test("WHK-4: status 410 disables the endpoint; enabled after a restart, it gets all events")
  func gone() async throws {
    try await TestedSystem.run { system in
      try await WebhookSite.run { site in
        site.answer(410, at: "/a")
        let endpoint = try await system.endpoint(site.address("/a"), types: [.orderPaid])
        let id = endpoint.endpoint.id
        let device = try await system.signedInDevice(of: system.user())
        let first = try await device.buy(ExampleProducts.coins)
        try await NamedDeadline.wait(for: "the endpoint to be disabled") {
          try await system.operate { try await $0.webhooks.all() }.first?.endpoint.disabledReason == .gone
        }
        site.answer(204, at: "/a")
        let second = try await device.buy(ExampleProducts.coins)
        await system.closeStore()
        try await system.openStore()
        #expect(site.deliveries(at: "/a").count == 1)
        let count = try await system.operate { try await $0.webhooks.enable(id) }
        #expect(count == 1)
        _ = try await site.delivery(3, at: "/a")
        let events = try site.deliveries(at: "/a").dropFirst().map {
          try WireCoding.decoder().decode(MerchantEventMessage.self, from: $0.body).data.objectID
        }
        #expect(Set(events) == Set([first, second].map { $0.id.uuidString.lowercased() }))
      }
    }
  }
}

extension TestedSystem {
  /// Adds an endpoint of the app.
  fileprivate func endpoint(_ address: String, types: Set<MerchantEventType> = []) async throws -> NewWebhookEndpoint {
    try await operate {
      try await $0.webhooks.add(
        app: Self.app, url: address, types: Set(types.map(\.rawValue)), allowsPrivate: true)
    }
  }
}

extension WebhookSite {
  /// Waits for a request to a path, by its place in the order of their arrival.
  fileprivate func delivery(_ place: Int, at path: String, within limit: Duration = .seconds(120)) async throws
    -> Delivery
  {
    let start = ContinuousClock.now
    try await NamedDeadline.wait(for: "delivery \(place) at \(path)") { deliveries(at: path).count >= place }
    #expect(ContinuousClock.now - start < limit)
    return deliveries(at: path)[place - 1]
  }
}

extension WebhookSite.Delivery {
  /// True if the signatures are those of Standard Webhooks 1.0.0 by some secrets, in their order.
  fileprivate func isSigned(by secrets: [WebhookSecret]) -> Bool {
    let content = Data("\(id).\(timestamp).".utf8) + body
    let signatures = secrets.map { secret in
      let code = HMAC<SHA256>.authenticationCode(for: content, using: SymmetricKey(data: Data(secret.bytes)))
      return "v1,\(Data(code).base64EncodedString())"
    }
    return signature == signatures.joined(separator: " ")
  }
}
