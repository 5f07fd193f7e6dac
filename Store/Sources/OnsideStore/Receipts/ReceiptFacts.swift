import Foundation

/// What a receipt shows of an order, besides the order.
struct ReceiptFacts: Sendable {
  let tax: OrderTax?
  let number: ReceiptNumber?

  init(of order: UUID, in connection: any SQLConnection) throws {
    tax = try TaxRecords.tax(of: order, in: connection)
    number = try ReceiptRecords.number(of: order, in: connection)
  }
}
