import Foundation
import OnsideAPI
import Testing

@testable import OnsideKit

/// Writes down what it hears of a history request.
@MainActor
final class HistoryListener: OnsideSignedInAppsHistoryRequestDelegate {
  private(set) var heard: [String] = []
  func onsideSignedInAppsHistoryRequest(
    _ request: any OnsideSignedInAppsHistoryRequest, didReceive history: OnsideSignedInAppsHistory
  ) { heard.append(history.string ?? "no text") }
  func onsideSignedInAppsHistoryRequest(
    _ request: any OnsideSignedInAppsHistoryRequest, didFailWithError error: OnsideSignedInAppsHistoryRequestError
  ) { heard.append("failed: \(error)") }
}

@Suite(.timeLimit(.minutes(5)))
@MainActor
struct HistoryTests {
  let world = ClientHarness()
  let listener = HistoryListener()

  @Test("ACC-6: logged out, a history request is refused in the same call, without a login")
  func loggedOut() async {
    let store = StoreDouble()
    let client = OnsideClient.scripted(store, in: world)
    guard case .failure(.notLoggedIn) = client.makeSignedInAppsHistoryRequest() else {
      Issue.record("expected notLoggedIn")
      return
    }
    await #expect(throws: OnsideSignedInAppsHistoryRequestError.notLoggedIn) { try await client.signedInAppsHistory() }
    #expect(store.now.signIns.isEmpty)
    await client.close()
  }

  @Test("HIS-1: the history arrives as the store signed it, once")
  func history() async throws {
    let store = StoreDouble(signedIn: .alice)
    store.set { $0.history = .success("a.b.c") }
    let client = OnsideClient.scripted(store, in: world)
    let request = try client.makeSignedInAppsHistoryRequest().get()
    request.delegate = listener
    request.start()
    request.start()
    #expect(await eventually { !listener.heard.isEmpty })
    request.stop()
    #expect(listener.heard == ["a.b.c"])
    let signedInAppsHistoryData = try await client.signedInAppsHistory().data
    #expect(signedInAppsHistoryData == Data("a.b.c".utf8))
    await client.close()
  }

  nonisolated static let errors: [(StoreError, OnsideSignedInAppsHistoryRequestError)] = [
    (.connection, .connectionError), (.appNotRegistered, .appNotRegistered), (.notSignedIn, .notLoggedIn),
    (.serviceUnavailable, .serviceUnavailable), (.internalError("?"), .internalError), (.cancelled, .cancelled),
  ]

  @Test("HIS-1: every fault has its published case", arguments: errors)
  func faults(error: StoreError, published: OnsideSignedInAppsHistoryRequestError) async throws {
    let store = StoreDouble(signedIn: .alice)
    store.set { $0.history = .failure(error) }
    let client = OnsideClient.scripted(store, in: world)
    await #expect(throws: published) { try await client.signedInAppsHistory() }
    await client.close()
  }
}

@Suite(.timeLimit(.minutes(5)))
@MainActor
struct PaymentMethodsTests {
  let world = ClientHarness()

  @Test("ACC-5: the payment methods log in on demand, and then go on")
  func onDemand() async {
    let store = StoreDouble()
    let client = OnsideClient.scripted(store, in: world)
    store.answerLogin(.success(.alice))
    let result = await withCheckedContinuation { done in
      client.presentPaymentMethodsManager { done.resume(returning: $0) }
    }
    #expect(throws: Never.self) { try result.get() }
    #expect(store.now.signIns.count == 1)
    await client.close()
  }

  @Test("ACC-3: a dismissed login is what the payment methods report")
  func dismissed() async {
    let store = StoreDouble()
    let client = OnsideClient.scripted(store, in: world)
    store.answerLogin(.success(nil))
    await #expect(throws: OnsidePaymentMethodsManagerError.loginDiscarded) { try await client.managePaymentMethods() }
    await client.close()
  }

  @Test("Payment methods that cannot be shown say so")
  func notShown() async {
    let store = StoreDouble(signedIn: .alice)
    store.set { $0.paymentMethods = .failure(.presentationFailed) }
    let client = OnsideClient.scripted(store, in: world)
    await #expect(throws: OnsidePaymentMethodsManagerError.presentationFailed) {
      try await client.managePaymentMethods()
    }
    await client.close()
  }
}

@Suite("The screen of the subscriptions", .timeLimit(.minutes(5)))
@MainActor
struct SubscriptionsScreenTests {
  let world = ClientHarness()

  @Test("It logs in on demand, and shows the page of the group that is asked for")
  func onDemand() async throws {
    let store = StoreDouble()
    let client = OnsideClient.scripted(store, in: world)
    store.answerLogin(.success(.alice))
    try await client.presentSubscriptionsManager(group: "plans")
    try await client.presentSubscriptionsManager()
    #expect(store.now.signIns.count == 1 && store.now.shownGroups == ["plans", nil])
    await client.close()
  }

  @Test(
    "A dismissed login, a session that the store has ended, a page that cannot be shown and no network are told apart")
  func notShown() async {
    let loggedOut = StoreDouble()
    loggedOut.answerLogin(.success(nil))
    let stranger = OnsideClient.scripted(loggedOut, in: world)
    await #expect(throws: OnsideLoginError.loginDiscarded) { try await stranger.presentSubscriptionsManager() }
    #expect(loggedOut.now.shownGroups.isEmpty)
    await stranger.close()
    let store = StoreDouble(signedIn: .alice)
    let client = OnsideClient.scripted(store, in: world)
    for (error, failure) in [
      (StoreError.connection, OnsideFailure.offline), (.presentationFailed, .presentationFailed),
    ] {
      store.set { $0.subscriptionsPage = .failure(error) }
      await #expect(throws: failure) { try await client.presentSubscriptionsManager() }
    }
    store.set { $0.subscriptionsPage = .failure(.cancelled) }
    await #expect(throws: Never.self) { try await client.presentSubscriptionsManager() }
    store.set { $0.subscriptionsPage = .failure(.notSignedIn) }
    await #expect(throws: OnsideLoginError.loginDiscarded) { try await client.presentSubscriptionsManager() }
    await client.close()
  }
}

@Suite("The screen for codes", .timeLimit(.minutes(5)))
@MainActor
struct CodeRedemptionScreenTests {
  let world = ClientHarness()

  @Test("SUB-11: it logs in on demand; a dismissed login, no network and a page that was closed are told apart")
  func outcomes() async throws {
    let store = StoreDouble()
    let client = OnsideClient.scripted(store, in: world)
    store.answerLogin(.success(nil))
    await #expect(throws: OnsideLoginError.loginDiscarded) { try await client.presentCodeRedemption() }
    #expect(store.now.shownCodePages == 0)
    store.answerLogin(.success(.alice))
    try await client.presentCodeRedemption()
    #expect(store.now.signIns.count == 2 && store.now.shownCodePages == 1)
    for (error, failure) in [
      (StoreError.connection, OnsideFailure.offline), (.presentationFailed, .presentationFailed),
    ] {
      store.set { $0.codePage = .failure(error) }
      await #expect(throws: failure) { try await client.presentCodeRedemption() }
    }
    store.set { $0.codePage = .failure(.cancelled) }
    try await client.presentCodeRedemption()
    await client.close()
  }
}

@Suite("The screen of a refund request", .timeLimit(.minutes(5)))
@MainActor
struct RefundRequestScreenTests {
  private static let order = OrderID(UUID())
  let world = ClientHarness()

  @Test("It logs in on demand, and shows the page of the order")
  func onDemand() async {
    let store = StoreDouble()
    let client = OnsideClient.scripted(store, in: world)
    store.answerLogin(.success(.alice))
    let refundRequestedError = await client.refundRequested(for: Self.order.description).error
    #expect(refundRequestedError == nil)
    #expect(store.now.signIns.count == 1 && store.now.refundRequests == [Self.order])
    await client.close()
  }

  @Test("A dismissed login is what it reports, and a session that the store has ended ends here, too")
  func dismissed() async {
    let store = StoreDouble()
    let client = OnsideClient.scripted(store, in: world)
    store.answerLogin(.success(nil))
    let refundRequestedError = await client.refundRequested(for: Self.order.description).error
    #expect(refundRequestedError == .loginDiscarded)
    #expect(store.now.refundRequests.isEmpty)
    await client.close()
  }

  @Test("A transaction without an order logs nobody in; an order that the store does not know is not found")
  func unknown() async {
    let store = StoreDouble()
    let client = OnsideClient.scripted(store, in: world)
    for identifier in [nil, "", "no order"] {
      let refundRequestedError = await client.refundRequested(for: identifier).error
      #expect(refundRequestedError == .purchaseNotFound)
    }
    #expect(store.now.signIns.isEmpty)
    await client.close()
  }

  @Test(
    "What the store says is reported",
    arguments: [
      (StoreError.notFound, OnsideRefundRequestError.purchaseNotFound), (.connection, .presentationFailed),
      (.presentationFailed, .presentationFailed), (.notSignedIn, .loginDiscarded),
    ])
  func notShown(error: StoreError, published: OnsideRefundRequestError) async {
    let store = StoreDouble(signedIn: .alice)
    store.set { $0.refundRequest = .failure(error) }
    let client = OnsideClient.scripted(store, in: world)
    let refundRequestedError = await client.refundRequested(for: Self.order.description).error
    #expect(refundRequestedError == published)
    await client.close()
  }
}

extension Result {
  /// Nil for a success.
  fileprivate var error: Failure? {
    if case .failure(let error) = self { error } else { nil }
  }
}
