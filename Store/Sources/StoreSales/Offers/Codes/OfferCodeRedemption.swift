import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase

/// The offer that an account can get for a code.
struct RedeemableCode: Sendable {
  let code: OfferCode
  let batch: OfferCodeBatch
  /// The product at the offer's price.
  let quote: Quote
  /// The account's region.
  let country: CountryCode
  /// The unpaid order of the account with the code.
  let order: Order?

  /// Returns the product with the offer of the code.
  var product: ProductMessage { order?.product.message ?? quote.product.message }
  var offer: OfferMessage? { order.map { $0.offer } ?? product.offers.first }
  var priceText: String { order?.priceText ?? quote.priceText }
}

/// Redeems codes: finds the offer of a code, and creates the order that reserves one of its uses.
package struct OfferCodeRedemption: Sendable {
  package let orders: OrderService

  package init(orders: OrderService) {
    self.orders = orders
  }

  private var dependencies: BaseDependencies { orders.dependencies }

  /// Returns the offer that an account can get for a typed code. Unknown codes are counted, and after some of them the
  /// account and its network have to wait.
  ///
  /// - Parameter app: the app of the request; nil for codes of all apps.
  func look(
    at typed: String, for id: String, in app: String? = nil, network: String, language: String
  ) async throws -> Result<RedeemableCode, OfferCodeRefusal> {
    // A lookup is a write, too, because writes of all processes run one after the other: two attempts are counted as
    // two.
    try await dependencies.database.write(at: dependencies.clock.now()) {
      [self] transaction -> Result<RedeemableCode, OfferCodeRefusal> in
      if let wait = try OfferCodeTryRecords.wait(account: id, network: network, in: transaction) {
        return .failure(.wait(seconds: wait))
      }
      let found = try find(typed, account: id, app: app, language: language, in: at(timeOf: id, transaction))
      if found.isUnknown {
        try OfferCodeTryRecords.count(account: id, network: network, dependencies.random, in: transaction)
      }
      return found
    }
  }

  /// Creates the order of an account with a code, or returns the open order of an earlier request.
  ///
  /// - Parameters:
  ///   - order: the id of the new order. A form that is sent twice creates one order.
  ///   - appAccountToken: the app's token for its user, also for an open order; nil leaves the token of an open order.
  ///     An active subscription that the code changes keeps its own.
  func redeem(
    _ typed: String, as order: UUID, for id: String, in app: String? = nil, appAccountToken: String? = nil,
    network: String, language: String
  ) async throws -> Result<UUID, OfferCodeRefusal> {
    let looked = try await look(at: typed, for: id, in: app, network: network, language: language)
    guard case .success = looked else { return looked.map { _ in order } }
    let made = try await orders.quotes.write(at: dependencies.clock.now()) {
      [self] transaction -> Result<Order?, OfferCodeRefusal> in
      let transaction = try at(timeOf: id, transaction)
      let found = try find(typed, account: id, app: app, language: language, in: transaction)
      guard case .success(let redeemable) = found else { return found.map { _ in nil } }
      let token = try token(for: redeemable, account: id, given: appAccountToken, in: transaction)
      if let open = redeemable.order {
        if let token { try orders.records.setAccountToken(token, of: open.id, in: transaction) }
        return .success(nil)
      }
      return try take(redeemable, as: order, account: id, token: token, language: language, in: transaction)
    }
    guard case .success(let new) = made else { return made.map { _ in order } }
    if let new { orders.records.products.markStored(new.product) }
    return try await holding(typed, account: id)
  }

  private func at(timeOf account: String, _ transaction: StoreTransaction) throws -> StoreTransaction {
    try transaction.at(timeOf: account, in: orders.environment)
  }

  private func token(
    for redeemable: RedeemableCode, account: String, given: String?, in transaction: StoreTransaction
  ) throws -> String? {
    guard let group = redeemable.quote.product.message.subscriptionGroupID else { return given }
    let key = SubscriptionKey(account: account, app: redeemable.batch.appID, group: group)
    return try orders.pageToken(of: key, given: given, in: transaction)
  }

  private func take(
    _ redeemable: RedeemableCode, as id: UUID, account: String, token: String?, language: String,
    in transaction: StoreTransaction
  ) throws -> Result<Order?, OfferCodeRefusal> {
    let batch = redeemable.batch
    let customer = Customer(account: account, app: batch.appID)
    let request = OrderRequest(
      productID: batch.productID, country: redeemable.country, appAccountToken: token, language: language,
      offer: OrderOffer(id: batch.offerID))
    try orders.checkUnpaidLimit(of: customer, in: transaction)
    // A form that is sent again after the cancellation of its order creates another one.
    let isSpent = try orders.records.order(id, in: transaction) != nil
    let id = isSpent ? dependencies.random.uuid7(at: transaction.now) : id
    let order: Order
    do {
      order = try orders.made(request, id: id, for: customer, by: .code, in: transaction)
    } catch let error as OrderError where error.code == .offerNotEligible {
      return .failure(.notEligible)
    }
    guard order.duplicateOf == nil, order.price == redeemable.quote.price else { return .failure(.notEligible) }
    try orders.records.insert(order, in: transaction)
    // Of concurrent requests for the last use, all but one end here.
    guard try OfferCodeRecords.take(redeemable.code, for: order, in: transaction) else { throw OfferCodeRefusal.usedUp }
    return .success(order)
  }

  /// Returns the order that has reserved a use of a code.
  private func holding(_ typed: String, account: String) async throws -> Result<UUID, OfferCodeRefusal> {
    try await dependencies.database.read { connection in
      guard let code = try OfferCode.normalized(typed).flatMap({ try OfferCodeRecords.code($0, in: connection) }),
        let order = try OfferCodeRecords.order(of: account, batch: code.batchID, in: connection)
      else { return .failure(.unknown) }
      return .success(order)
    }
  }

  private func find(
    _ typed: String, account: String, app: String?, language: String, in transaction: StoreTransaction
  ) throws -> Result<RedeemableCode, OfferCodeRefusal> {
    guard let text = OfferCode.normalized(typed), let code = try OfferCodeRecords.code(text, in: transaction),
      let batch = try OfferCodeRecords.batch(code.batchID, in: transaction)
    else { return .failure(.unknown) }
    guard app == nil || batch.appID == app else { return .failure(.otherApp(batch.appID)) }
    let used = try OfferCodeRecords.order(of: account, batch: batch.id, in: transaction)
      .flatMap { try orders.records.order($0, in: transaction) }
    if let used, used.state.stage == .paid { return .failure(.used) }
    guard used != nil || batch.isOpen(at: transaction.now) else { return .failure(.over) }
    guard used != nil || code.uses < code.limit else { return .failure(.usedUp) }
    return try priced(code, of: batch, account: account, language: language, order: used, in: transaction)
  }

  private func priced(
    _ code: OfferCode, of batch: OfferCodeBatch, account: String, language: String, order: Order?,
    in transaction: StoreTransaction
  ) throws -> Result<RedeemableCode, OfferCodeRefusal> {
    let quotes = orders.quotes
    guard let country = try AccountRecords.country(of: account, in: transaction),
      let offer = quotes.offer(batch.offerID, of: batch.productID, app: batch.appID), offer.kind == .code,
      let quote = try quotes.quote(
        batch.productID, offer: offer.id, country: country, language: language, of: batch.appID),
      let group = quote.product.message.subscriptionGroupID,
      let plan = quote.product.message.plan(at: quote.product.message.price.money)
    else { return .failure(.notSold) }
    let key = SubscriptionKey(account: account, app: batch.appID, group: group)
    let history = try GroupHistory(key, orders: orders.records, at: transaction.now, in: transaction)
    guard history.refusal(of: offer, of: plan, at: transaction.now, by: .code) == nil else {
      return .failure(.notEligible)
    }
    return .success(RedeemableCode(code: code, batch: batch, quote: quote, country: country, order: order))
  }
}

extension Result where Failure == OfferCodeRefusal {
  fileprivate var isUnknown: Bool {
    if case .failure(.unknown) = self { true } else { false }
  }
}
