import Foundation
import OnsideAPI
import OnsideCommerce

extension LocalDevice: Store {
  func products(
    _ identifiers: [String], country: CountryCode?, languages: [String]
  ) async throws(StoreError) -> ProductsMessage {
    try local.change { shop, now throws(StoreError) in
      try shop.throwNextFailure(of: .loadProducts)
      return shop.products(identifiers, for: signedIn?.accountID, at: now)
    }
  }

  /// One offering, with every product of the file.
  func offerings() async throws(StoreError) -> OfferingsMessage {
    try local.look { shop, _ throws(StoreError) in
      if shop.isOffline { throw .connection }
      let all = OfferingMessage(id: "default", productIDs: shop.catalogue.products.map(\.id))
      return OfferingsMessage(current: all.id, offerings: [all])
    }
  }

  func makeOrder(_ id: OrderID, request: OrderRequest) async throws(StoreError) -> OrderMessage {
    try await call { shop, account, now throws(StoreError) in
      try shop.makeOrder(id, request: request, by: account, at: now)
    }
  }

  func order(_ id: OrderID) async throws(StoreError) -> OrderMessage {
    try await call { shop, account, _ throws(StoreError) in try shop.order(id, of: account) }
  }

  func cancelOrder(_ id: OrderID, because reason: CancelReason) async throws(StoreError) -> OrderMessage {
    try await call { shop, account, now throws(StoreError) in try shop.cancel(id, of: account, at: now) }
  }

  /// A local store has no delivery leases: each device may deliver.
  func claimOrder(_ id: OrderID) async throws(StoreError) -> OrderMessage { try await order(id) }

  func finishOrder(_ id: OrderID, of account: AccountID) async throws(StoreError) {
    let device = await installation.device(of: account)
    try await call(of: account) { shop, account, now throws(StoreError) in
      try shop.finish(id, of: account, on: device, at: now)
    }
  }

  func restorable() async throws(StoreError) -> [OrderMessage] {
    try await call { shop, account, now throws(StoreError) in
      try shop.throwNextFailure(of: .restore)
      return try shop.restorable(by: account, at: now)
    }
  }

  func sync(since cursor: String?, wait: Int) async throws(StoreError) -> SyncMessage {
    let end = dependencies.now().addingTimeInterval(Double(wait))
    while !Task.isCancelled, let account = signedIn?.accountID {
      let left = end.timeIntervalSince(dependencies.now())
      if left <= 0 || local.look({ shop, _ in shop.syncAnswersAtOnce(for: account, since: cursor) }) { break }
      await local.untilChange(atMost: left) { $0.syncAnswersAtOnce(for: account, since: cursor) }
    }
    guard let account = signedIn?.accountID else { throw .notSignedIn }
    let device = await installation.device(of: account)
    return try await call(of: account) { shop, account, now throws(StoreError) in
      try shop.sync(account, on: device, since: cursor, at: now)
    }
  }

  func signedHistory() async throws(StoreError) -> String {
    throw .internalError("expected a store over HTTP; a local store signs no history")
  }

  func subscriptions() async throws(StoreError) -> SubscriptionsMessage {
    try await call { shop, account, now throws(StoreError) in
      try shop.check(account)
      return shop.subscriptions(of: account, at: now)
    }
  }

  func attribution(_ request: AttributionRequest) async throws(StoreError) -> AttributionMessage {
    try local.look { shop, _ throws(StoreError) in
      if shop.isOffline { throw .connection }
      return AttributionMessage(refererURL: shop.refererURL?.absoluteString)
    }
  }

  func presentPaymentMethods(on screens: any ScreenPresenter) async throws(StoreError) { throw .presentationFailed }

  func presentRefundRequest(of id: OrderID, on screens: any ScreenPresenter) async throws(StoreError) {
    throw .presentationFailed
  }
}

extension LocalShop {
  /// Throws the failure that the next call of a kind is to have.
  mutating func throwNextFailure(of operation: LocalStore.Operation) throws(StoreError) {
    if isOffline { throw .connection }
    if let next = nextFailure(of: operation) { throw StoreError(next) }
  }

  /// The failure that the next call of a kind meets, by a control or by the file's settings; a control's counts once.
  mutating func nextFailure(of operation: LocalStore.Operation) -> LocalStore.Failure? {
    if failures[operation]?.isEmpty == false { return failures[operation]?.removeFirst() }
    let isOn = settings.storeKitErrors.contains { $0.operation == operation.rawValue }
    return isOn ? .serviceUnavailable : nil
  }

  /// Whether a sync of the account is to answer at once.
  func syncAnswersAtOnce(for account: AccountID, since cursor: String?) -> Bool {
    isOffline || !book.accounts.contains { $0.id == account } || hasNews(for: account, since: cursor)
  }
}

extension StoreError {
  fileprivate init(_ failure: LocalStore.Failure) {
    switch failure {
    case .connection: self = .connection
    case .serviceUnavailable: self = .serviceUnavailable
    case .internalError:
      self = .internalError("expected an answer, got the failure that the local store was told to play")
    }
  }
}
