import Foundation
import HTTPTypes
import Hummingbird
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase
import StorePayments
import StoreWeb

extension PaymentRoutes {
  /// The page that fits where the order stands.
  func show(_ payment: PaymentVisit, remark: Remark = .none) async throws -> Response {
    let (order, texts) = (payment.order, payment.texts)
    let backLabel = texts(.backToApp, ["app": payment.appName.isolated])
    switch order.state {
    case .open where order.running != nil:
      return responder.respond(
        renewPlanPage(payment, remark: remark), to: payment.visit, status: remark.status, targets: payment.back.targets)
    case .open:
      let part = try await provider.checkoutPart(payment.context)
      let page = checkout(payment, remark: remark, part: part)
      return responder.respond(
        page, to: payment.visit, status: remark.status, targets: payment.back.targets,
        sources: part?.sources ?? PageSources())
    case .processing:
      let back = payment.back.location(order: order.orderID, outcome: "processing")
      let page = PendingPage(address: payment.path("/return"), backAddress: back, backLabel: backLabel)
      return responder.respond(page, to: payment.visit, targets: payment.back.targets)
    case .paid:
      let location = payment.back.location(order: order.orderID, outcome: "paid")
      return responder.redirect(to: location ?? Route.receiptPath(payment.token), payment.visit)
    case .cancelled:
      let back = payment.back.location(order: order.orderID, outcome: "cancelled") ?? payment.app?.homeAddress
      let page = ClosedPage(
        text: order.isMoneyReturned ? texts[.closedReturned] : texts.describe(order.cancelReason),
        backAddress: back, backLabel: backLabel, shopAddress: payment.shopPath)
      return responder.respond(page, to: payment.visit, targets: payment.back.targets)
    }
  }

  func secondStep(_ payment: PaymentVisit) async throws -> Response {
    guard let (charge, consent) = try await payments.waitingCharge(payment.token) else {
      return responder.redirect(to: payment.path(), payment.visit)
    }
    let request = ActionPageRequest(
      charge: charge, context: payment.context, priceText: payment.order.priceText,
      submitLabel: payment.submitLabel, consent: consent, payee: storeName, action: payment.path("/second-step"),
      returnAddress: responder.address.url(path: payment.path("/return")))
    let page = try await payments.providers.provider(charge.provider).actionPage(request)
    return responder.respond(page, to: payment.visit, targets: payment.back.targets)
  }

  private func checkout(_ payment: PaymentVisit, remark: Remark, part: ProviderPagePart?) -> CheckoutPage {
    let (order, texts) = (payment.order, payment.texts)
    let offered = provider.choices(payment.context)
    let choices = choices(payment, offered: offered.choices, remark: remark)
    let isSavable = offered.choices.contains(where: \.isSavable)
    let renews = order.product.renews && (order.isRenewal || isSavable)
    return CheckoutPage(
      lead: texts(.payLead, ["app": payment.appName.isolated]), productTitle: order.product.title,
      productDescription: order.product.description, region: texts.name(order.country),
      quantity: order.quantity == 1 ? nil : String(order.quantity), price: order.priceText,
      shownPrice: order.price.plainText,
      offer: order.offer.map { texts.describe($0, of: order.product, renews: renews) },
      ends: texts.term(of: order.product, with: order.offer, renews: renews, at: order.priceText),
      starts: order.replaces.map { texts.describe($0, language: order.language) },
      payLabel: payment.submitLabel,
      priceChanged: remark.oldPrice.map { priceChange($0, order: order, texts: texts) }, error: remark.error(texts),
      choices: choices.usual,
      more: choices.more, moreLabel: offered.seldomLabel,
      fields: part?.fields.map { responder.renderer.html($0, look: payment.visit.look) },
      scripts: part?.scripts.map(\.address) ?? [], maySave: payment.isOwners && isSavable,
      renews: renews && isSavable && (payment.isOwners || !order.isRenewal), action: payment.path(),
      cancelAction: payment.path("/cancel"))
  }

  private func priceChange(_ old: Money, order: PaymentPage, texts: Texts) -> String {
    let language = order.language ?? texts.language.rawValue
    let price = old.formatted(country: order.country, language: language).isolated
    return texts[.payPriceChanged] + " " + texts(.payWas, ["price": price])
  }

  /// The saved methods first, the newest that was not declined preselected; then the provider's choices, those that
  /// are seldom wanted apart.
  private func choices(
    _ payment: PaymentVisit, offered choices: [PaymentMethodChoice], remark: Remark
  ) -> (usual: [CheckoutPage.Choice], more: [CheckoutPage.Choice]) {
    let chosen = remark.chosen
    let saved = payment.savedMethods.map { ("saved_\($0.id)", provider.label(of: $0.details, payment.context)) }
    let (seldom, usual) = (
      choices.filter { $0.isSeldom && Self.formValue(of: $0) != chosen },
      choices.filter { !$0.isSeldom || Self.formValue(of: $0) == chosen }
    )
    let offered = saved + usual.map { (Self.formValue(of: $0), $0.label) }
    let declined = Set(payment.savedMethods.filter(\.isDeclined).map { "saved_\($0.id)" })
    let first = offered.first { !declined.contains($0.0) }?.0
    let selected = remark.isDeclined ? nil : offered.contains { $0.0 == chosen } ? chosen : first
    func choice(_ value: String, label: PaymentMethodLabel) -> CheckoutPage.Choice {
      CheckoutPage.Choice(
        value: value, name: label.name, note: label.note, isChosen: value == selected,
        isDefault: value == saved.first?.0)
    }
    return (offered.map(choice), seldom.map { choice(Self.formValue(of: $0), label: $0.label) })
  }
}

extension PaymentRoutes.Remark {
  fileprivate var status: HTTPResponse.Status {
    switch self {
    case .none: .ok
    case .declined, .unchosen: .unprocessableContent
    case .repriced, .unchargeable: .conflict
    }
  }

  /// True if the price has changed between the page and its button.
  var isRepriced: Bool { oldPrice != nil }

  fileprivate var isDeclined: Bool { if case .declined = self { true } else { false } }

  fileprivate var oldPrice: Money? { if case .repriced(let price, _) = self { price } else { nil } }

  /// What the visitor had chosen, to be chosen again.
  fileprivate var chosen: String? { if case .repriced(_, let chosen) = self { chosen } else { nil } }

  fileprivate func error(_ texts: Texts) -> String? {
    switch self {
    case .declined: texts[.payDeclined]
    case .unchargeable: texts[.payUnchargeable]
    case .unchosen: texts[.payChoose]
    case .none, .repriced: nil
    }
  }
}
