import Foundation
import Hummingbird
import OnsideAPI
import OnsideCommerce
package import StoreAccounts
package import StoreBase
import StoreWeb

extension Route {
  static let receiptPage = Route(.get, "/receipt/{token}", by: .browser)

  /// The address of a receipt, by the token of its order.
  static func receiptPath(_ token: String) -> String { "/receipt/\(token)" }
}

/// The receipts of paid orders. The token in the address gives access to them.
package struct ReceiptRoutes: RouteGroup {
  package let responder: PageResponder
  package let orders: OrderService
  package let subscriptions: SubscriptionService
  package let apps: AppDirectory
  package let storeName: String
  package let seller: SellerConfiguration
  package let sequencer: Sequencer

  package init(
    responder: PageResponder, orders: OrderService, subscriptions: SubscriptionService, apps: AppDirectory,
    storeName: String, seller: SellerConfiguration, sequencer: Sequencer
  ) {
    self.responder = responder
    self.orders = orders
    self.subscriptions = subscriptions
    self.apps = apps
    self.storeName = storeName
    self.seller = seller
    self.sequencer = sequencer
  }

  func addRoutes(to routes: StoreRoutes) { responder.on(.receiptPage, in: routes, receipt) }

  private func receipt(_ visit: PageVisit, request: Request, context: StoreRequestContext) async throws -> Response {
    let token = context.parameters.get("token") ?? ""
    guard let id = orders.json.tokens.orderID(token),
      let order = try await responder.database.read({ [records = orders.records] in try records.order(id, in: $0) })
    else { throw PageProblem.notFound }
    guard order.state.stage == .paid else { return responder.redirect(to: "/pay/\(token)", visit) }
    let visit = visit.speaking(order.language, unless: request)
    guard let original = order.duplicateOf else {
      await sequencer.tryNumberReceipt(of: id)
      let facts = try await responder.database.read { try ReceiptFacts(of: id, in: $0) }
      return responder.respond(try receiptPage(order, facts: facts, for: visit), to: visit)
    }
    let receipt = Route.receiptPath(orders.json.tokens.token(orderID: original))
    // Given back or over meanwhile: what there is to tell is on the receipt.
    guard order.isOwned(at: try await orders.dependencies.now(of: order.accountID)) else {
      return responder.redirect(to: receipt, visit)
    }
    let isReturned = try await responder.database.read { try Ledger.hasSurplus(of: order.id, in: $0) }
    var page = alreadyOwned(
      order, text: isReturned ? .alreadyReturned : .alreadyText, receipt: receipt, visit: visit)
    page.plan = try await planWords(of: order, for: visit)
    return responder.respond(page, to: visit)
  }

  /// The receipt of a paid order, which is also its invoice.
  private func receiptPage(_ order: Order, facts: ReceiptFacts, for visit: PageVisit) throws -> ReceiptPage {
    let (texts, app) = (visit.texts, apps.app(order.appID))
    let isRefunded = order.state.revocation != nil && !facts.isReinstated
    return ReceiptPage(
      heading: texts[isRefunded ? .accountReceipt : .receiptTitle],
      lead: texts[isRefunded ? .receiptRefunded : .receiptLead], isRefunded: isRefunded,
      product: order.product.message.title, quantity: order.quantityText, price: order.priceText,
      tax: try facts.taxLines(of: order, texts: texts),
      givenBack: facts.givenBackText(of: order, texts: texts),
      date: texts.day(order.paidAt ?? order.createdAt, in: order.country),
      ends: isRefunded ? nil : order.expiresAt.map { texts.day($0, in: order.country) }, orderID: order.id.lowercase,
      number: facts.number?.description, printedHeading: printedHeading(facts.number, texts: texts),
      seller: seller.line(orStore: storeName),
      sellerTaxNumber: seller.taxNumber,
      keysAddress: responder.address.url(path: Route.jwks.path).absoluteString, receipt: orders.json.receipt(of: order),
      backAddress: app?.homeAddress, backLabel: backLabel(order, app: app, texts: texts),
      shopAddress: PaymentRoutes.shopPath(app))
  }

  private func printedHeading(_ number: ReceiptNumber?, texts: Texts) -> String {
    number.map { texts(.receiptNumbered, ["number": $0.description.isolated]) } ?? texts[.accountReceipt]
  }

  /// The next event of the subscription that has an order's plan, for its account alone.
  private func planWords(of order: Order, for visit: PageVisit) async throws -> String? {
    guard order.plan != nil, visit.account?.id.description == order.accountID else { return nil }
    return try await subscriptions.current(of: order.accountID)
      .first { $0.subscription.key == order.subscriptionKey }
      .map { SubscriptionView($0, texts: visit.texts).lead }
  }

  private func alreadyOwned(_ order: Order, text: TextKey, receipt: String, visit: PageVisit) -> AlreadyOwnedPage {
    let (texts, app) = (visit.texts, apps.app(order.appID))
    return AlreadyOwnedPage(
      text: texts(text, ["product": order.product.message.title.isolated]), receiptAddress: receipt,
      backAddress: app?.homeAddress, backLabel: backLabel(order, app: app, texts: texts),
      shopAddress: PaymentRoutes.shopPath(app))
  }

  private func backLabel(_ order: Order, app: App?, texts: Texts) -> String {
    texts(.backToApp, ["app": (app?.name ?? order.appID).isolated])
  }
}
