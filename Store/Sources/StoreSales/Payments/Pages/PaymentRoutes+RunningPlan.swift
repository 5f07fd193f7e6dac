import Foundation
import OnsideAPI
import OnsideCommerce
import StorePayments
import StoreWeb

extension PaymentRoutes {
  /// The page of an order for a plan that the account has already.
  func renewPlanPage(_ payment: PaymentVisit, remark: Remark) -> RenewPlanPage {
    let (order, texts) = (payment.order, payment.texts)
    let isOffer = order.running?.acceptsOffer == true
    return RenewPlanPage(
      heading: texts[isOffer ? .offerTitle : .renewTitle], lead: texts(.payLead, ["app": payment.appName.isolated]),
      productTitle: order.product.title,
      productDescription: order.product.description,
      plan: payment.isOwners ? order.running.flatMap { texts.describe($0, of: order) } : nil,
      logIn: texts[isOffer ? .offerLogIn : .renewLogIn], priceChanged: remark.isRepriced ? texts[.planRepriced] : nil,
      action: payment.path("/renewal"),
      cancelAction: payment.path("/cancel"))
  }
}

extension Texts {
  /// The running plan on its payment page: what happens without an answer, and after the button.
  fileprivate func describe(_ running: RunningPlan, of order: PaymentPage) -> RenewPlanPage.Plan? {
    let (current, renewed) = (running.current, running.renewed)
    guard let period = renewed.period, let start = renewed.nextPeriodStart, let plan = renewed.plannedPlan else {
      return nil
    }
    let country = current.lastOrder.country
    func text(_ money: Money) -> String { money.formatted(country: country, language: language.rawValue).isolated }
    let date = day(start, in: country).isolated
    let offer = running.acceptsOffer ? order.offer.map { describe($0, of: order.product, renews: true) } : nil
    let regular = renewed.continuesOffer || running.acceptsOffer ? plan.price : running.price
    return RenewPlanPage.Plan(
      paidUntil: day(period.end, in: country), unchanged: SubscriptionView(current, texts: self).lead,
      nextPayment: offer.map { self(.offerFrom, ["date": date, "offer": $0]) }
        ?? self(.renewPayment, ["price": text(running.price), "date": date]),
      terms: self(.renewsUntilCancelled, ["price": "\(text(regular)) \(rhythm(plan.period))"]),
      submitLabel: running.acceptsOffer ? self[.offerAccept] : self(.renewSubmit, ["price": text(running.price)]),
      shownPrice: running.price.plainText)
  }
}
