import Foundation
import StoreBase

/// What a receipt shows of an order, besides the order.
struct ReceiptFacts: Sendable {
  let tax: OrderTax?
  let number: ReceiptNumber?
  /// What the store gives back or gave back of the price, in the currency's smallest unit.
  let givenBack: Int64
  /// Whether a grant replaces the order, whose refund has failed.
  let isReinstated: Bool

  init(of order: UUID, in connection: any SQLConnection) throws {
    tax = try TaxRecords.tax(of: order, in: connection)
    givenBack = try RefundRecords.refunds(of: order, in: connection).filter { $0.origin != .bank }.total
    isReinstated = try GrantRecords.isReinstated(order, in: connection)
    number = try ReceiptRecords.number(of: order, in: connection)
  }
}
