import ConformanceTable
import Foundation
import OnsideCommerce
import OnsideKit
import Testing

/// Renewals whose money does not come.
@MainActor
@Suite("Subscriptions: failed payments", .serialized, .timeLimit(.minutes(5)))
struct DunningTests {
  @Test(
    "SUB-2: billing problems of a local store: grace, then retries, and access ends between them",
    .columns(.local, because: "a store over HTTP has cards that are refused"))
  func local() async throws {
    try await TestedSystem.run { system in
      let local = try #require(system.local)
      local.settings.billingGracePeriodEnabled = true
      let subscriber = try await TestedSubscriber.subscribe(to: ExampleProducts.monthly, in: system)
      let end = try #require(subscriber.first.expirationDate)
      local.settings.renewalBillingIssuesEnabled = true
      try await subscriber.pass(to: end + 60)
      try await subscriber.waits(for: .inGracePeriod)
      try await subscriber.pass(to: end + 20 * 86_400)
      try await subscriber.waits(for: .inBillingRetry)
      local.settings.renewalBillingIssuesEnabled = false
      try await subscriber.pass(to: end + 24 * 86_400)
      try await subscriber.waits(for: .subscribed)
    }
  }
}
