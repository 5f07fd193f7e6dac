package import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
package import StoreBase

/// The table of tax rates, and the tax of sales.
public struct TaxService: Sendable {
  private let database: any Database
  private let clock: any StoreClock

  package init(database: any Database, clock: any StoreClock) {
    self.database = database
    self.clock = clock
  }

  /// Adds rates to the table, all or none. A rate of the same country and moment is replaced; booked sales keep theirs.
  public func add(_ rates: [TaxRate]) async throws {
    try await database.write(at: clock.now()) { transaction in
      for rate in rates { try TaxRecords.save(rate, in: transaction) }
    }
  }

  /// Every rate, by country and time.
  public func rates() async throws -> [TaxRate] { try await database.read { try TaxRecords.rates(in: $0) } }

  /// How an order was taxed; nil for one that was not paid, or cost nothing.
  package func tax(of order: UUID) async throws -> OrderTax? {
    try await database.read { try TaxRecords.tax(of: order, in: $0) }
  }

  /// The tax of an order that is paid now, by the country that it was ordered in; it is written down with the evidence.
  ///
  /// - Parameter told: what the payment tells of where the buyer is.
  static func assess(
    _ order: Order, evidence told: LocationEvidence, in transaction: StoreTransaction
  ) throws -> OrderTax {
    var evidence = told
    let account = try AccountID(order.accountID).flatMap { try AccountRecords.account(id: $0, in: transaction) }
    evidence.number = account?.phone?.country
    let tax = OrderTax(
      country: order.country,
      basisPoints: try TaxRecords.basisPoints(in: order.country, at: transaction.now, in: transaction),
      evidence: evidence)
    try TaxRecords.insert(tax, of: order.id, in: transaction)
    return tax
  }
}
