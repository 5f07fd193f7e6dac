import Foundation
import HTTPTypes
import Hummingbird
import OnsideAPI
import OnsideCommerce

extension PaymentRoutes {
  /// The page that fits where the order stands.
  func show(
    _ payment: Payment, error: String? = nil, oldPrice: Money? = nil, chosen: String? = nil
  ) async throws -> Response {
    let (order, texts) = (payment.order, payment.texts)
    let backLabel = texts(.backToApp, ["app": payment.appName.isolated])
    switch order.state {
    case .open:
      let page = checkout(payment, error: error, oldPrice: oldPrice, chosen: chosen)
      let status: HTTPResponse.Status = error == nil ? (oldPrice == nil ? .ok : .conflict) : .unprocessableContent
      return desk.respond(page, payment.visit, status: status, targets: payment.back.targets)
    case .processing:
      let back = payment.back.location(order: order.orderID, outcome: "processing")
      let page = PendingPage(address: payment.path("/return"), backAddress: back, backLabel: backLabel)
      return desk.respond(page, payment.visit, targets: payment.back.targets)
    case .paid:
      let location = payment.back.location(order: order.orderID, outcome: "paid")
      return desk.redirect(to: location ?? "/receipt/\(payment.token)", payment.visit)
    case .cancelled:
      let back = payment.back.location(order: order.orderID, outcome: "cancelled") ?? payment.app?.homeAddress
      let page = ClosedPage(text: texts.describe(order.cancelReason), backAddress: back, backLabel: backLabel)
      return desk.respond(page, payment.visit, targets: payment.back.targets)
    }
  }

  func secondStep(_ payment: Payment) -> Response {
    guard payment.order.awaitsSecondStep else { return desk.redirect(to: payment.path(), payment.visit) }
    let page = SecondStepPage(
      payee: storeName, price: payment.order.priceText, action: payment.path("/second-step"))
    return desk.respond(page, payment.visit, targets: payment.back.targets)
  }

  func receipt(_ visit: PageVisit, _ request: Request, _ context: StoreRequestContext) async throws -> Response {
    let token = context.parameters.get("token") ?? ""
    guard let id = orders.json.tokens.orderID(token),
      let order = try await desk.database.read({ [records = orders.records] in try records.order(id, $0) })
    else { throw PageProblem.notFound }
    guard order.state.stage == .paid else { return desk.redirect(to: "/pay/\(token)", visit) }
    let visit = visit.speaking(order.language, unless: request)
    let app = apps.app(order.appID)
    let isRefunded = order.state.revocation != nil
    let lead: TextKey =
      isRefunded ? .receiptRefunded : order.duplicateOf == nil ? .receiptLead : .receiptOwned
    let page = ReceiptPage(
      heading: visit.texts[isRefunded ? .accountReceipt : .receiptTitle], lead: visit.texts[lead],
      isRefunded: isRefunded, product: order.product.message.title, price: order.priceText,
      date: visit.texts.day(order.paidAt ?? order.createdAt), orderID: order.id.lowercase,
      keysAddress: desk.address.url(path: Route.jwks.path).absoluteString, receipt: order.receipt,
      backAddress: app?.homeAddress,
      backLabel: visit.texts(.backToApp, ["app": (app?.name ?? order.appID).isolated]))
    return desk.respond(page, visit)
  }

  private func checkout(_ payment: Payment, error: String?, oldPrice: Money?, chosen: String?) -> CheckoutPage {
    let (order, texts) = (payment.order, payment.texts)
    let regular = order.product.price
    let rhythm = order.product.subscriptionPeriod.map { "\(regular.formatted.isolated) \(texts.rhythm($0))" }
    let choices = choices(payment, chosen: chosen)
    return CheckoutPage(
      lead: texts(.payLead, ["app": payment.appName.isolated]), productTitle: order.product.title,
      productDescription: order.product.description, region: texts.name(order.country),
      quantity: order.quantity == 1 ? nil : String(order.quantity), price: order.priceText,
      shownPrice: order.price.shown, offer: order.offer.map { texts.describe($0, then: regular) },
      subscription: rhythm.map { texts(.paySubscription, ["price": $0]) },
      payLabel: texts(.paySubmit, ["price": order.priceText.isolated]),
      priceChanged: oldPrice.map { priceChange($0, order, texts) }, error: error, choices: choices.usual,
      more: choices.more, maySave: payment.isOwners, action: payment.path(),
      cancelAction: payment.path("/cancel"))
  }

  private func priceChange(_ old: Money, _ order: PaymentPage, _ texts: Texts) -> String {
    let language = order.language ?? texts.language.rawValue
    let price = old.formatted(country: order.country, language: language).isolated
    return texts[.payPriceChanged] + " " + texts(.payWas, ["price": price])
  }

  /// The saved methods first, the newest chosen; then the test cards, those that are seldom wanted apart.
  private func choices(
    _ payment: Payment, chosen: String?
  ) -> (usual: [CheckoutPage.Choice], more: [CheckoutPage.Choice]) {
    let texts = payment.texts
    let saved = payment.savedMethods.map { ("saved_\($0.id)", $0.card) }
    let seldom: Set<SandboxCard> = [.neverSettles, .lateCallback, .callbackTwice, .refundedLater]
    let cards = SandboxCard.allCases.map { ("card_\($0.rawValue)", $0) }
    let offered = saved + cards.filter { !seldom.contains($0.1) || "card_\($0.1.rawValue)" == chosen }
    let selected = offered.contains { $0.0 == chosen } ? chosen : offered.first?.0
    func choice(_ value: String, _ card: SandboxCard) -> CheckoutPage.Choice {
      CheckoutPage.Choice(
        value: value, name: texts.name(card), note: texts.note(card), isChosen: value == selected,
        isDefault: value == saved.first?.0)
    }
    let more = cards.filter { card in !offered.contains { $0.0 == card.0 } }
    return (offered.map(choice), more.map(choice))
  }
}
