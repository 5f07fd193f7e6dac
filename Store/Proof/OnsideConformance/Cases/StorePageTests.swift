import ConformanceTable
import Foundation
import OnsideKit
import Testing

/// Pages of the store that an app opens for a subscription, and the way back into the app.
@MainActor
@Suite("Subscriptions: pages that the app opens", .serialized, .timeLimit(.minutes(5)))
struct StorePageTests {
  @Test("SUB-3, ACC-5: the page of the subscriptions logs in on demand, stops the renewal, and leads back into the app")
  func manager() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      let (user, client) = (subscriber.user, subscriber.device.client)
      client.logout()
      user.next(.subscriptions) { try await $0.stopRenewing() }
      try await client.presentSubscriptionsManager(group: subscriber.group)
      #expect(user.visits.value.map(\.screen).suffix(2) == [.login, .subscriptions])
      let status = try await subscriber.status()
      #expect(status.state == .subscribed && !status.willAutoRenew)
      let active = await subscriber.active()
      #expect(active == [ExampleProducts.monthly])
      system.goOffline()
      await #expect(throws: OnsideFailure.offline) { try await client.presentSubscriptionsManager() }
      #expect(user.count(.subscriptions) == 1)
    }
  }

  @Test(
    "SUB-4, ACC-5: a refund is asked for on the app's page, which leads back; granted, it ends the subscription",
    .columns(.store, because: "a local store has no requests for refunds"))
  func refund() async throws {
    try await TestedSystem.run { system in
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      try await subscriber.passPeriods(1)
      let renewal = try await subscriber.renewal(after: 0)
      let (client, app) = (subscriber.device.client, subscriber.device.app)
      subscriber.user.next(.refundRequest) { try await $0.askForRefund() }
      client.presentRefundRequest(for: renewal) { app.hear(.completed("refund: \($0.name)")) }
      try await app.until { $0.completions.last == "refund: success" }
      let state = try await subscriber.status().state
      #expect(state == .subscribed, "the store has not decided")
      try await system.refund(renewal)
      try await app.until { $0.revocations.contains { $0.id == renewal.id } }
      try await subscriber.waits(for: .revoked)

      let other = try await system.signedInDevice(of: system.user("+31612345679"))
      await #expect(throws: OnsideRefundRequestError.purchaseNotFound) {
        try await other.client.requestRefund(for: renewal)
      }
      #expect(other.user.count(.refundRequest) == 0)
    }
  }
}
