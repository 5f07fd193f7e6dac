import OnsideCommerce
import StoreWeb

/// What a receipt shows, in words: the same on the page and in the mail.
extension ReceiptFacts {
  /// The tax that the price includes; nil when none was booked.
  func taxLines(of order: Order, texts: Texts) throws -> ReceiptPage.Tax? {
    guard let tax, let points = tax.basisPoints else { return nil }
    let amount = tax.amount(in: order.price)
    return ReceiptPage.Tax(
      net: Self.text(try order.price.subtracting(amount), of: order, texts: texts),
      label: texts(.receiptTax, ["rate": texts.rate(points, in: order.country).isolated]),
      amount: Self.text(amount, of: order, texts: texts))
  }

  /// What goes back or went back of the price; nil when nothing does.
  func givenBackText(of order: Order, texts: Texts) -> String? {
    guard givenBack > 0 else { return nil }
    return Self.text(Money(minorUnits: givenBack, currency: order.price.currency), of: order, texts: texts)
  }

  private static func text(_ money: Money, of order: Order, texts: Texts) -> String {
    money.formatted(country: order.country, language: order.language ?? texts.language.rawValue)
  }
}
