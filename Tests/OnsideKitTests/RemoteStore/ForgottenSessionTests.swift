import Foundation
import OnsideAPI
import OnsideCommerce
import Synchronization
import Testing

@testable import OnsideKit

/// What is said with the session of an account that has logged out, before it is ended at the store.
@Suite("Sessions after a logout", .timeLimit(.minutes(5)))
struct ForgottenSessionTests {
  private let order = OrderID(UUID())

  private func harness(_ answer: HTTPServerDouble.Answer = .json(204, "")) throws -> RemoteHarness {
    try RemoteHarness { request in request.bearer == nil ? .json(401, problem(401, code: "not_authenticated")) : answer
    }
  }

  @Test("QUE-13: after a logout a finish is sent with the account's own token, over a restart, and then it is revoked")
  func finish() async throws {
    let harness = try harness()
    try harness.signIn()
    harness.store().forgetSignIn()
    let store = harness.store()
    try await store.finishOrder(order, of: SignedIn.alice.accountID)
    try await store.revokeForgotten()
    #expect(harness.server.requests.map(\.path) == ["/v1/orders/\(order)/finish", "/oauth/revoke"])
    #expect(harness.server.requests.first?.bearer == "access-1")
    await #expect(throws: StoreError.notSignedIn) {
      try await store.finishOrder(order, of: SignedIn.alice.accountID)
    }
  }

  @Test(
    "QUE-13: an expired token is refreshed for it, and what came of it is kept and revoked", arguments: [true, false])
  func refreshed(isExpired: Bool) async throws {
    let harness = try harness()
    try harness.signIn(lasting: isExpired ? 10 : 600)
    let store = harness.store()
    store.forgetSignIn()
    if !isExpired { harness.desk.state.withLock { $0.access = "another" } }
    try await store.finishOrder(order, of: SignedIn.alice.accountID)
    let refreshTokens = try harness.file.leftToRevoke().map(\.session.refreshToken)
    #expect(refreshTokens == [RefreshToken("refresh-2")])
    try await store.finishOrder(order, of: SignedIn.alice.accountID)
    #expect(harness.desk.state.withLock { $0.refreshes } == 1)
    try await store.revokeForgotten()
    #expect(harness.desk.state.withLock { $0.revoked } == ["refresh-2"])
  }

  @Test("QUE-13: a session is not ended before what is owed was said")
  func order() async throws {
    let harness = try harness()
    try harness.signIn()
    let store = harness.store()
    store.forgetSignIn()
    try await store.revokeForgotten { [order] account in try? await store.finishOrder(order, of: account) }
    #expect(harness.server.requests.map(\.path).last == "/oauth/revoke")
    #expect(harness.server.requests.count == 2)
  }

  @Test("QUE-13: a finish never goes out with the token of another account")
  func otherAccount() async throws {
    let harness = try harness()
    try harness.signIn()
    let store = harness.store()
    for _ in 0..<2 {
      await #expect(throws: StoreError.notSignedIn) { try await store.finishOrder(order, of: AccountID(UUID())) }
      store.forgetSignIn()
    }
    #expect(harness.server.requests.isEmpty)
  }

  @Test("QUE-13: a session that the store has ended is not used any more, and a network fault does not end one")
  func ended() async throws {
    let harness = try harness()
    try harness.signIn(lasting: 10)
    let store = harness.store()
    store.forgetSignIn()
    harness.desk.state.withLock { $0.faults = [.none, .json(400, #"{"error":"invalid_grant"}"#)] }
    await #expect(throws: StoreError.connection) { try await store.finishOrder(order, of: SignedIn.alice.accountID) }
    await #expect(throws: StoreError.notSignedIn) { try await store.finishOrder(order, of: SignedIn.alice.accountID) }
  }
}
