import Foundation
import OnsideAPI
import StoreAccounts
import StoreBaseTestSupport
import Synchronization

@testable import OnsideStore
@testable import StoreBase
@testable import StoreMerchants

/// The receivers of webhooks in a test, which record their requests and answer by a script.
final class WebhookReceiver: WebhookSending {
  /// Returns the answer to a request; nil for a request without an answer.
  typealias Script = @Sendable (WebhookRequest) -> WebhookAttempt?

  private let state: Mutex<(script: Script, requests: [WebhookRequest])>

  init(_ script: @escaping Script = { _ in .ok }) { state = Mutex((script, [])) }

  var requests: [WebhookRequest] { state.withLock { $0.requests } }
  /// The numbers of the events, in the order of the requests.
  var numbers: [Int64] { requests.compactMap { MerchantEventID($0.id)?.number } }

  func answer(_ script: @escaping Script) { state.withLock { $0.script = script } }

  func send(_ request: WebhookRequest) async -> WebhookAttempt {
    let attempt = state.withLock { state in
      state.requests.append(request)
      return state.script(request)
    }
    if let attempt { return attempt }
    while !Task.isCancelled { try? await Task.sleep(for: .seconds(60)) }
    return WebhookAttempt(outcome: .timedOut, took: .seconds(15))
  }
}

extension WebhookAttempt {
  static let ok = WebhookAttempt(outcome: .delivered, status: 200, took: .milliseconds(5))
  static let broken = WebhookAttempt(
    outcome: .rejectedStatus, status: 500, answer: "broken", took: .milliseconds(5))
  static let gone = WebhookAttempt(outcome: .gone, status: 410, took: .milliseconds(5))
}

extension TestStore {
  func deliveries(to receiver: WebhookReceiver) -> WebhookDeliveries {
    WebhookDeliveries(core.dependencies.base, secrets: core.secrets, sender: receiver)
  }

  /// Adds an endpoint; returns its id.
  func endpoint(
    _ url: String = "https://shop.example/webhooks", types: Set<String> = []
  ) async throws -> String {
    try await core.webhooks.add(app: TestShop.app.id, url: url, types: types, allowsPrivate: false).endpoint.id
  }

  /// The present state of an endpoint.
  func state(of endpoint: String) async throws -> WebhookEndpointState? {
    try await core.webhooks.all().first { $0.endpoint.id == endpoint }
  }

  /// Appends an event of each of some objects, and numbers them.
  func publish(
    _ subjects: String..., type: MerchantEventType = .entitlementChanged
  ) async throws {
    for subject in subjects { try await append([type], of: subject) }
    try await core.sequencer.assign()
  }

  /// True while a process serves an endpoint.
  func hasLease() async throws -> Bool {
    try await core.dependencies.database.read {
      try $0.row("SELECT 1 AS one FROM webhook_endpoints WHERE leased_by IS NOT NULL") != nil
    }
  }
}
