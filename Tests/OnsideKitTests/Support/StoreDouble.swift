import Foundation
import OnsideAPI
import OnsideCommerce
import Synchronization

@testable import OnsideKit

/// A store in memory whose answers are scripted, for the account and the facade.
final class StoreDouble: Store, AccountStore {
  struct State {
    var signedIn: SignedIn?
    var signIns: [SignInOptions] = []
    var asked: [(identifiers: [String], country: CountryCode?, languages: [String])] = []
    var forgotten = 0
    var revocations = 0
    var revocationFault: StoreError?
    var products: Result<ProductsMessage, StoreError> = .failure(.connection)
    var history: Result<String, StoreError> = .failure(.connection)
    var offerings: Result<OfferingsMessage, StoreError> = .failure(.connection)
    var subscriptions: Result<SubscriptionsMessage, StoreError> = .failure(.connection)
    var entitlements: Result<SignedEntitlements, StoreError> = .failure(.connection)
    /// How often entitlements were asked for.
    var entitlementQuestions = 0
    var paymentMethods: Result<Void, StoreError> = .success(())
    var subscriptionsPage: Result<Void, StoreError> = .success(())
    /// The groups whose pages were asked for.
    var shownGroups: [String?] = []
    var codePage: Result<Void, StoreError> = .success(())
    var shownCodePages = 0
    /// The tokens that hosted pages were opened with.
    var pageTokens: [String?] = []
    var refundRequest: Result<Void, StoreError> = .success(())
    /// The orders whose refund pages were shown.
    var refundRequests: [OrderID] = []
    /// Whether products wait until they are cancelled.
    var hangs = false
    var isHanging = false
    var wasCancelled = false
  }

  private let state: Mutex<State>
  private let logins: AsyncStream<Result<SignedIn?, StoreError>>
  private let answerLogin: AsyncStream<Result<SignedIn?, StoreError>>.Continuation
  let signedInChanges: AsyncStream<Void>
  private let changed: AsyncStream<Void>.Continuation

  init(signedIn: SignedIn? = nil) {
    state = Mutex(State(signedIn: signedIn))
    (logins, answerLogin) = AsyncStream.makeStream()
    (signedInChanges, changed) = AsyncStream.makeStream()
  }

  var now: State { state.withLock { $0 } }
  func set(_ change: @Sendable (inout State) -> Void) { state.withLock { change(&$0) } }

  /// What the user does on the next login screen.
  func answerLogin(_ result: Result<SignedIn?, StoreError>) { answerLogin.yield(result) }

  /// As if the store had ended the session.
  func endSession() {
    set { $0.signedIn = nil }
    changed.yield()
  }

  var signedIn: SignedIn? { state.withLock { $0.signedIn } }

  func signIn(_ screens: any ScreenPresenter, options: SignInOptions) async throws(StoreError) -> SignedIn? {
    set { $0.signIns.append(options) }
    for await result in logins {
      let signedIn = try result.get()
      if let signedIn { set { $0.signedIn = signedIn } }
      return signedIn
    }
    throw .cancelled
  }

  func forgetSignIn() {
    set {
      $0.signedIn = nil
      $0.forgotten += 1
    }
  }

  func revokeForgotten(after last: @escaping @Sendable (AccountID) async -> Void) async throws(StoreError) {
    set { $0.revocations += 1 }
    if let fault = now.revocationFault { throw fault }
  }

  func keepRegion(_ country: CountryCode, of account: AccountID) {
    set { $0.signedIn?.country = country }
  }

  func products(
    _ identifiers: [String], country: CountryCode?, languages: [String]
  ) async throws(StoreError) -> ProductsMessage {
    set { $0.asked.append((identifiers, country, languages)) }
    if now.hangs {
      set { $0.isHanging = true }
      for await _ in AsyncStream<Void>.makeStream().stream {}
      set { $0.wasCancelled = true }
      throw .cancelled
    }
    return try now.products.get()
  }

  func signedHistory() async throws(StoreError) -> String { try now.history.get() }
  func subscriptions() async throws(StoreError) -> SubscriptionsMessage { try now.subscriptions.get() }
  func offerings() async throws(StoreError) -> OfferingsMessage { try now.offerings.get() }
  func entitlements(
    of account: AccountID, verifiedWith keys: Data?
  ) async throws(StoreError) -> SignedEntitlements {
    set { $0.entitlementQuestions += 1 }
    return try now.entitlements.get()
  }
  func presentSubscriptions(
    group: String?, appAccountToken: String?, on screens: any ScreenPresenter
  ) async throws(StoreError) {
    set { state in
      state.shownGroups.append(group)
      state.pageTokens.append(appAccountToken)
    }
    try now.subscriptionsPage.get()
  }
  func presentCodeRedemption(
    appAccountToken: String?, on screens: any ScreenPresenter
  ) async throws(StoreError) {
    set { state in
      state.shownCodePages += 1
      state.pageTokens.append(appAccountToken)
    }
    try now.codePage.get()
  }
  func presentPaymentMethods(on screens: any ScreenPresenter) async throws(StoreError) {
    try now.paymentMethods.get()
  }
  func presentRefundRequest(of id: OrderID, on screens: any ScreenPresenter) async throws(StoreError) {
    set { $0.refundRequests.append(id) }
    try now.refundRequest.get()
  }

  func makeOrder(_ id: OrderID, request: OrderRequest) async throws(StoreError) -> OrderMessage { throw .connection }
  func order(_ id: OrderID) async throws(StoreError) -> OrderMessage { throw .connection }
  func cancelOrder(_ id: OrderID, because reason: CancelReason) async throws(StoreError) -> OrderMessage {
    throw .connection
  }
  func presentPayment(
    of order: OrderMessage, on screens: any ScreenPresenter
  ) async throws(StoreError) -> PaymentScreenEnd { .closed }
  func sync(since cursor: String?, wait: Int) async throws(StoreError) -> SyncMessage { throw .connection }
  func claimOrder(_ id: OrderID) async throws(StoreError) -> OrderMessage { try await order(id) }
  func finishOrder(_ id: OrderID, of account: AccountID) async throws(StoreError) { throw .connection }
  func restorable() async throws(StoreError) -> [OrderMessage] { throw .connection }
}
