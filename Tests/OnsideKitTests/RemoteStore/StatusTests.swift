import Foundation
import OnsideAPI
import OnsideCommerce
import Synchronization
import Testing

@testable import OnsideKit

@Suite(.timeLimit(.minutes(5)))
struct StatusTests {
  static let cases: [(Int, String, StoreError)] = [
    (404, "", .appNotRegistered), (404, problem(404, code: "app_not_registered"), .appNotRegistered),
    (404, problem(404, code: "not_found"), .notFound),
    (403, "", .refused(.forbidden)),
    (409, problem(409, code: "storefront_changed", more: #","country":"DE""#), .storefrontChanged(country("DE"))),
    (409, problem(409, code: "request_in_progress"), .serviceUnavailable),
    (409, problem(409, code: "order_not_final"), .refused(.orderNotFinal)),
    (422, problem(422, code: "product_not_available"), .refused(.productNotAvailable)),
    (422, problem(422, code: "a_code_of_the_future"), .refused(ProblemCode(rawValue: "a_code_of_the_future"))),
    (422, "<html>", .refused(.invalidRequest)), (408, problem(408, code: "timed_out"), .serviceUnavailable),
    (429, "", .serviceUnavailable), (500, "", .serviceUnavailable),
    (502, "<html>", .serviceUnavailable), (503, problem(503, code: "overloaded"), .serviceUnavailable),
    (599, "", .serviceUnavailable),
  ]

  @Test("PRD-5: a status and a problem code have their error", arguments: cases)
  func statuses(status: Int, body: String, expected: StoreError) async throws {
    let harness = try RemoteHarness { _ in .json(status, body) }
    let store = harness.store()
    await #expect(throws: expected) { try await store.products(["a"], country: nil, languages: []) }
  }

  @Test(
    "PRD-5: what cannot be read, or is no success, is an internal error that says what came",
    arguments: [
      (200, "not json"), (200, "{}"), (200, ""), (204, ""), (302, ""), (302, "<html>"), (307, ""), (400, "<html>"),
      (418, "{}"),
    ])
  func unreadable(status: Int, body: String) async throws {
    let harness = try RemoteHarness { _ in .json(status, body) }
    let store = harness.store()
    let error = await #expect(throws: StoreError.self) {
      try await store.products(["a"], country: nil, languages: [])
    }
    guard case .internalError(let text)? = error else {
      Issue.record("expected an internal error, got \(String(describing: error))")
      return
    }
    #expect(text.contains("/v1/products"))
  }

  static let foreign: [HTTPServerDouble.Answer] = [
    .foreign(200, "{}"), .foreign(200, "<html>", "text/html"), .foreign(204, ""), .foreign(401, ""),
    .foreign(403, "<html>", "text/html"), .foreign(404, ""), .foreign(409, "{}"), .foreign(410, ""),
    .foreign(422, problem(422, code: "not_found")),
    .foreign(422, problem(422, code: "a_code_that_no_store_has"), "application/problem+json"),
    .redirect("http://127.0.0.1:1/portal"),
  ]

  @Test("QUE-23: an answer that is not recognisably the store's is final on no route", arguments: foreign.indices)
  func notOfTheStore(index: Int) async throws {
    let harness = try RemoteHarness { _ in Self.foreign[index] }
    try harness.signIn()
    let (store, id) = (harness.store(), OrderID(UUID()))
    let calls: [@Sendable () async throws -> Void] = [
      { try await store.finishOrder(id, of: SignedIn.alice.accountID) },
      { _ = try await store.order(id) }, { _ = try await store.cancelOrder(id, because: .user) },
      { _ = try await store.makeOrder(id, request: OrderRequest(productID: "a", country: .netherlands)) },
      { _ = try await store.sync(since: nil, wait: 0) }, { _ = try await store.restorable() },
      { _ = try await store.products(["a"], country: nil, languages: []) }, { _ = try await store.signedHistory() },
      {
        let installation = InstallationID(UUID())
        _ = try await store.attribution(AttributionRequest(installationID: installation, platform: "linux"))
      },
      { _ = try await store.claimOrder(id) }, { _ = try await store.offerings() },
      { _ = try await store.entitlements(of: SignedIn.alice.accountID, verifiedWith: nil) },
      { _ = try await store.subscriptions() },
      { try await store.presentSubscriptions(group: nil, appAccountToken: nil, on: NobodyLooks()) },
      { try await store.presentCodeRedemption(appAccountToken: nil, on: NobodyLooks()) },
      { try await store.presentPaymentMethods(on: NobodyLooks()) },
      { try await store.presentRefundRequest(of: id, on: NobodyLooks()) },
    ]
    for call in calls {
      let error = await outcome(call)
      guard case .notTheStore(let text)? = error else {
        Issue.record("expected an answer that is not the store's, got \(String(describing: error))")
        continue
      }
      #expect(text.contains(WireHeader.store))
    }
    #expect(store.signedIn == .alice)
    #expect(harness.desk.state.withLock { $0.refreshes } == 0)
  }

  @Test("QUE-23: a problem of the store counts also where a proxy has dropped the store's header")
  func problemWithoutHeader() async throws {
    let harness = try RemoteHarness { _ in .foreign(404, problem(404, code: "not_found"), "application/problem+json") }
    try harness.signIn()
    let store = harness.store()
    await #expect(throws: StoreError.notFound) { _ = try await store.order(OrderID(UUID())) }
  }

  @Test("QUE-23: a refusal of tokens that a proxy makes up ends no login, and a bare 200 ends no revocation")
  func tokensOfAPortal() async throws {
    let harness = try RemoteHarness()
    try harness.signIn(lasting: 10)
    harness.desk.state.withLock { $0.faults = [.foreign(400, #"{"error":"invalid_grant"}"#)] }
    let store = harness.store()
    let error = await outcome { try await store.signedHistory() }
    #expect(error != nil && error != .notSignedIn)
    #expect(store.signedIn == .alice)
    store.forgetSignIn()
    harness.desk.state.withLock { $0.revocationFaults = [.foreign(200, "<html>", "text/html"), .foreign(400, "")] }
    for _ in 0..<2 { await #expect(throws: StoreError.self) { try await store.revokeForgotten() } }
    try await store.revokeForgotten()
    #expect(try harness.file.leftToRevoke().isEmpty)
  }

  @Test("PRD-5: a redirect is not followed: tokens go nowhere else")
  func redirect() async throws {
    let elsewhere = try HTTPServerDouble { _ in .json(200, "{}") }
    let target = elsewhere.url.absoluteString
    let harness = try RemoteHarness { _ in .redirect(target + "/v1/products") }
    try harness.signIn()
    let store = harness.store()
    let error = await #expect(throws: StoreError.self) {
      try await store.products(["a"], country: nil, languages: [])
    }
    #expect("\(String(describing: error))".contains("302"))
    #expect(elsewhere.requests.isEmpty)
  }

  @Test("PRD-5: no connection and a lost answer are connection errors")
  func connection() async throws {
    let harness = try RemoteHarness { _ in .none }
    let store = harness.store()
    await #expect(throws: StoreError.connection) { try await store.products(["a"], country: nil, languages: []) }
    let nowhere = RemoteStore(
      store: try unusedAddress(), app: "io.example.lumen", dependencies: harness.world.dependencies())
    await #expect(throws: StoreError.connection) { try await nowhere.products(["a"], country: nil, languages: []) }
  }

  @Test("PRD-5: a request ends at its deadline although the store stays silent")
  func deadline() async throws {
    let harness = try RemoteHarness { _ in .silence }
    let store = harness.store()
    async let result = outcome { try await store.products(["a"], country: nil, languages: []) }
    #expect(await eventually { harness.server.requests.count == 1 && harness.world.clock.sleepers == 1 })
    harness.world.clock.advance(15)
    let actualResult = await result
    #expect(actualResult == .connection)
  }

  @Test("PRD-4: cancelling the task ends a call in flight as cancelled")
  func cancelled() async throws {
    let harness = try RemoteHarness { _ in .silence }
    let store = harness.store()
    let task = Task { await outcome { try await store.products(["a"], country: nil, languages: []) } }
    #expect(await eventually { harness.server.requests.count == 1 })
    task.cancel()
    let taskValue = await task.value
    #expect(taskValue == .cancelled)
  }

  @Test("PRD-4: a call that is cancelled at any moment ends, and ends no process")
  func cancelledAnyTime() async throws {
    let harness = try RemoteHarness { _ in .json(503, "") }
    let store = harness.store()
    for turns in 0..<200 {
      let result = await cancelled(after: turns, store)
      #expect(result == .cancelled || result == .serviceUnavailable)
    }
  }

  @Test("PRD-4: a call that a captive portal redirects while it is cancelled ends, and ends no process")
  func cancelledWhileRedirected() async throws {
    let harness = try RemoteHarness { _ in .redirect("http://127.0.0.1:1/portal") }
    let store = harness.store()
    for turns in 0..<1000 {
      let result = await cancelled(after: turns % 400, store)
      #expect(result == .cancelled || "\(String(describing: result))".contains("302"))
    }
  }

  private func cancelled(after turns: Int, _ store: RemoteStore) async -> StoreError? {
    let task = Task { await outcome { try await store.products(["a"], country: nil, languages: []) } }
    for _ in 0..<turns { await Task.yield() }
    task.cancel()
    return await task.value
  }

  @Test("An answer larger than the limit is refused, not kept")
  func tooLarge() async throws {
    let harness = try RemoteHarness { _ in
      .json(200, String(repeating: "x", count: URLSessionTransport.answerLimit + 1))
    }
    let store = harness.store()
    let error = await outcome { try await store.products(["a"], country: nil, languages: []) }
    #expect("\(String(describing: error))".contains("larger"))
  }

  @Test("A long poll has its own time beyond the deadline of other calls")
  func longPoll() async throws {
    let harness = try RemoteHarness { _ in .silence }
    try harness.signIn(lasting: 3600)
    let store = harness.store()
    async let result = outcome { try await store.sync(since: "c1", wait: 25) }
    #expect(await eventually { harness.server.requests.count == 1 && harness.world.clock.sleepers == 1 })
    harness.world.clock.advance(39)
    #expect(harness.world.clock.sleepers == 1)
    harness.world.clock.advance(1)
    let actualResult = await result
    #expect(actualResult == .connection)
    #expect(harness.server.requests.first?.query == ["cursor": ["c1"], "wait": ["25"]])
  }

  private func outcome<Value: Sendable>(_ body: @Sendable () async throws -> Value) async -> StoreError? {
    do {
      _ = try await body()
      return nil
    } catch {
      return error as? StoreError
    }
  }

  /// A port that was free a moment ago.
  private func unusedAddress() throws -> URL {
    let port = try PlatformSocket.listening().port
    return try #require(URL(string: "http://127.0.0.1:\(port)"))
  }

  static func country(_ code: String) -> CountryCode { CountryCode(alpha2: code) ?? .unitedStates }
}
