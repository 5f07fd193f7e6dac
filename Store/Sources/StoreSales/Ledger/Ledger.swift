public import Foundation
public import OnsideCommerce
import StoreBase
import StorePayments

/// The books. Each row moves an amount from one account of the books to another, so that every row, and so every
/// commit, balances. Rows are never changed or deleted: the database refuses it.
public struct Ledger: Sendable {
  /// One movement of money.
  public struct Entry: Sendable, Hashable {
    /// The order or payout it belongs to, a UUID in lower case; for a payout of a provider, its name and its id of it.
    public var orderID: String
    /// What it is: `sale`, `tax`, `commission`, `refund:` with the refund's id…; each happens at most once for an
    /// order.
    public var kind: String
    /// The account of the books that receives.
    public var debit: String
    /// The account of the books that gives.
    public var credit: String
    /// How much, never negative.
    public var amount: Money
    /// When.
    public var date: Date
    /// In hundredths of a percent: for a `tax` row its rate, for a `sale` row the rate of the commission that was taken
    /// with it. Nil for other rows.
    public var basisPoints: Int64?

    /// ``kind`` without the refund, payment, dispute or fee that it names: `refund`, `surplus`…
    public var kindName: String { String(kind.prefix { $0 != ":" }) }
  }

  /// The store's share of sales.
  static let commission = "store:commission"
  /// Money that came for orders that were given up, or twice, on its way back.
  static let refundsDue = "store:refunds_due"

  let commissionBasisPoints: Int64

  /// The accounts of the tax that is owed to a country.
  static func tax(of country: CountryCode) -> String { "tax:\(country.alpha2)" }

  /// What payment providers take for their work.
  static let providerFees = "store:provider_fees"
  /// Payouts that are on their way to apps.
  static let payouts = "store:payouts"
  /// The store's bank account.
  static let bank = "store:bank"

  /// Books a sale: the provider owes the app the price, and the app owes the country the tax in it and the store its
  /// share of what is left.
  ///
  /// - Parameter evidence: what the payment tells of where the buyer is.
  func sale(
    _ order: Order, provider: String, evidence: LocationEvidence, in transaction: StoreTransaction
  ) throws {
    let tax = try TaxService.assess(order, evidence: evidence, in: transaction)
    let app = "app:\(order.appID)"
    try post(
      order, kind: "sale", from: app, to: "provider:\(provider)", amount: order.price,
      basisPoints: commissionBasisPoints,
      in: transaction)
    let taxAmount = tax.amount(in: order.price)
    try post(
      order, kind: "tax", from: Self.tax(of: tax.country), to: app, amount: taxAmount, basisPoints: tax.basisPoints,
      in: transaction)
    let share = Self.share(of: try order.price.subtracting(taxAmount), basisPoints: commissionBasisPoints)
    try post(order, kind: "commission", from: Self.commission, to: app, amount: share, in: transaction)
  }

  /// Books money that must go back: it came too late, or once more.
  func surplus(_ payment: Payment, of order: Order, in transaction: StoreTransaction) throws {
    try post(
      order, kind: "surplus:\(payment.id)", from: Self.refundsDue, to: "provider:\(payment.provider)",
      amount: payment.amount, in: transaction)
  }

  /// Books that such money, or a part of it, went back.
  func surplusReturned(
    _ refund: Refund, of payment: Payment, order: Order, in transaction: StoreTransaction
  ) throws {
    try post(
      order, kind: "surplus_refund:\(refund.id)", from: "provider:\(payment.provider)", to: Self.refundsDue,
      amount: refund.amount, in: transaction)
  }

  /// Books that such money has come back once more: it is owed to the buyer again.
  func surplusRefundFailed(
    _ refund: Refund, of payment: Payment, order: Order, in transaction: StoreTransaction
  ) throws {
    try post(
      order, kind: "surplus_refund_failed:\(refund.id)", from: Self.refundsDue, to: "provider:\(payment.provider)",
      amount: refund.amount, in: transaction)
  }

  /// Books what a provider took for its work, or gave back of it. A fee that is told again changes nothing.
  func fee(_ fee: ProviderFee, of order: Order, provider: String, in transaction: StoreTransaction) throws {
    let (kind, account) = ("provider_fee:\(fee.reference)", "provider:\(provider)")
    guard try !Self.entries(of: order.id, in: transaction).contains(where: { $0.kind == kind }) else { return }
    let isTaken = fee.amount.minorUnits > 0
    try post(
      order, kind: kind, from: isTaken ? account : Self.providerFees, to: isTaken ? Self.providerFees : account,
      amount: Money(minorUnits: abs(fee.amount.minorUnits), currency: fee.amount.currency), in: transaction)
  }

  /// Books a payout: the app is owed less, and the money is on its way.
  func payout(_ payout: Payout, in transaction: StoreTransaction) throws {
    try post(
      payout.id, kind: "payout", from: Self.payouts, to: "app:\(payout.app)", amount: payout.amount, in: transaction)
  }

  /// Books that a payout has left the bank account.
  func payoutSettled(_ payout: Payout, in transaction: StoreTransaction) throws {
    try post(
      payout.id, kind: "payout_settled", from: Self.bank, to: Self.payouts, amount: payout.amount, in: transaction)
  }

  /// Books that a payout did not reach its app: it is owed again, and what had left the bank account is back there.
  func payoutFailed(_ payout: Payout, in transaction: StoreTransaction) throws {
    try post(
      payout.id, kind: "payout_failed", from: "app:\(payout.app)", to: Self.payouts, amount: payout.amount,
      in: transaction)
    guard payout.state == .settled else { return }
    try post(
      payout.id, kind: "payout_returned", from: Self.payouts, to: Self.bank, amount: payout.amount, in: transaction)
  }

  /// Whether money has come for an order that could not take it, and so goes back: of one payment, or of any.
  static func hasSurplus(
    of order: UUID, payment: String? = nil, in connection: any SQLConnection
  ) throws -> Bool {
    try entries(of: order, in: connection).contains { entry in
      payment.map { entry.kind == "surplus:\($0)" } ?? entry.kind.hasPrefix("surplus:")
    }
  }

  /// The tax that was booked for an order; nil when there is none.
  static func tax(of order: UUID, in connection: any SQLConnection) throws -> Money? {
    try entries(of: order, in: connection).first { $0.kind == "tax" }?.amount
  }

  /// A share of an amount, in hundredths of a percent; a part of the smallest unit is left to the app.
  static func share(of amount: Money, basisPoints: Int64) -> Money {
    // Split, so that no amount can overflow.
    let (whole, rest) = amount.minorUnits.quotientAndRemainder(dividingBy: 10_000)
    return Money(minorUnits: whole * basisPoints + rest * basisPoints / 10_000, currency: amount.currency)
  }

  func post(
    _ order: Order, kind: String, from credit: String, to debit: String, amount: Money, basisPoints: Int64? = nil,
    in transaction: StoreTransaction
  ) throws {
    try post(
      order.id.lowercase, kind: kind, from: credit, to: debit, amount: amount, basisPoints: basisPoints,
      in: transaction)
  }

  func post(
    _ cause: String, kind: String, from credit: String, to debit: String, amount: Money, basisPoints: Int64? = nil,
    in transaction: StoreTransaction
  ) throws {
    guard !amount.isZero else { return }
    let entry = Entry(
      orderID: cause, kind: kind, debit: debit, credit: credit, amount: amount, date: transaction.now,
      basisPoints: basisPoints)
    try Self.insert(entry, in: transaction)
  }
}
