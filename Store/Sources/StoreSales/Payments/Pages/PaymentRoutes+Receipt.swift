import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase
import StoreWeb

extension PaymentRoutes {
  /// The receipt of a paid order, which is also its invoice.
  func receiptPage(_ order: Order, facts: ReceiptFacts, for visit: PageVisit) throws -> ReceiptPage {
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
      shopAddress: Self.shopPath(app))
  }

  private func printedHeading(_ number: ReceiptNumber?, texts: Texts) -> String {
    number.map { texts(.receiptNumbered, ["number": $0.description.isolated]) } ?? texts[.accountReceipt]
  }
}
