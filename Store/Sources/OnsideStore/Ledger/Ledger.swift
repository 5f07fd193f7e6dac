public import Foundation
public import OnsideCommerce

/// The books. Each row moves an amount from one account of the books to another, so that every row, and so every
/// commit, balances. Rows are never changed or deleted: the database refuses it.
public struct Ledger: Sendable {
  /// One movement of money.
  public struct Entry: Sendable, Hashable {
    /// The order it belongs to, a UUID in lower case.
    public var orderID: String
    /// What it is: `sale`, `commission`, `refund:` with the refund's id…; each happens at most once for an order.
    public var kind: String
    /// The account of the books that receives.
    public var debit: String
    /// The account of the books that gives.
    public var credit: String
    /// How much, never negative.
    public var amount: Money
    /// When.
    public var date: Date
  }

  /// The store's share of sales.
  static let commission = "store:commission"
  /// Money that came for orders that were given up, or twice, on its way back.
  static let refundsDue = "store:refunds_due"

  let commissionBasisPoints: Int64

  /// Books a sale: the provider owes the app the price, and the app owes the store its share.
  func sale(_ order: Order, provider: String, in transaction: StoreTransaction) throws {
    let app = "app:\(order.appID)"
    try post(
      order, kind: "sale", from: app, to: "provider:\(provider)", amount: order.price,
      basisPoints: commissionBasisPoints,
      in: transaction)
    let share = Self.share(of: order.price, basisPoints: commissionBasisPoints)
    try post(order, kind: "commission", from: Self.commission, to: app, amount: share, in: transaction)
  }

  /// Books money that must go back: it came too late, or once more.
  func surplus(_ payment: Payment, of order: Order, in transaction: StoreTransaction) throws {
    try post(
      order, kind: "surplus:\(payment.id)", from: Self.refundsDue, to: "provider:\(payment.provider)",
      amount: payment.amount, in: transaction)
  }

  /// Books that such money went back.
  func surplusReturned(_ payment: Payment, of order: Order, in transaction: StoreTransaction) throws {
    try post(
      order, kind: "surplus_refund:\(payment.id)", from: "provider:\(payment.provider)", to: Self.refundsDue,
      amount: payment.amount, in: transaction)
  }

  /// Books that such money has come back once more: it is owed to the buyer again.
  func surplusRefundFailed(_ payment: Payment, of order: Order, in transaction: StoreTransaction) throws {
    try post(
      order, kind: "surplus_refund_failed:\(payment.id)", from: Self.refundsDue, to: "provider:\(payment.provider)",
      amount: payment.amount, in: transaction)
  }

  /// Whether money has come for an order that could not take it, and so goes back: of one payment, or of any.
  static func hasSurplus(
    of order: UUID, payment: String? = nil, in connection: any SQLConnection
  ) throws -> Bool {
    try entries(of: order, in: connection).contains { entry in
      payment.map { entry.kind == "surplus:\($0)" } ?? entry.kind.hasPrefix("surplus:")
    }
  }

  /// The movements of an order.
  public static func entries(of order: UUID, in connection: any SQLConnection) throws -> [Entry] {
    let sql = "SELECT * FROM ledger WHERE order_id = $1 ORDER BY created_at, kind"
    return try connection.rows(sql, [.text(order.lowercase)]).map { row in
      Entry(
        orderID: try row.text("order_id"), kind: try row.text("kind"), debit: try row.text("debit"),
        credit: try row.text("credit"),
        amount: Money(minorUnits: try row.integer("amount"), currency: try row.currency("currency")),
        date: try row.date("created_at"))
    }
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
    guard !amount.isZero else { return }
    try transaction.execute(
      """
      INSERT INTO ledger(order_id, kind, debit, credit, amount, currency, created_at, basis_points)
      VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
      """,
      [
        .text(order.id.lowercase), .text(kind), .text(debit), .text(credit), .integer(amount.minorUnits),
        .text(amount.currency.code), .date(transaction.now), basisPoints.map { .integer($0) } ?? .null,
      ])
  }
}

extension Migration {
  static let ledger = [
    Migration(
      6, name: "ledger",
      sql: """
        CREATE TABLE ledger(
          order_id TEXT NOT NULL, kind TEXT NOT NULL, debit TEXT NOT NULL, credit TEXT NOT NULL,
          amount BIGINT NOT NULL CHECK (amount > 0), currency TEXT NOT NULL, created_at BIGINT NOT NULL,
          PRIMARY KEY (order_id, kind), CHECK (debit <> credit)) WITHOUT ROWID;
        CREATE TRIGGER ledger_is_never_changed BEFORE UPDATE ON ledger
        BEGIN SELECT RAISE(ABORT, 'the ledger is never changed'); END;
        CREATE TRIGGER ledger_is_never_deleted BEFORE DELETE ON ledger
        BEGIN SELECT RAISE(ABORT, 'the ledger is never deleted'); END;
        """,
      postgres: """
        CREATE TABLE ledger(
          order_id TEXT COLLATE "C" NOT NULL, kind TEXT COLLATE "C" NOT NULL, debit TEXT COLLATE "C" NOT NULL,
          credit TEXT COLLATE "C" NOT NULL, amount BIGINT NOT NULL CHECK (amount > 0),
          currency TEXT COLLATE "C" NOT NULL, created_at BIGINT NOT NULL, PRIMARY KEY (order_id, kind),
          CHECK (debit <> credit));
        CREATE FUNCTION refuse_ledger_change() RETURNS trigger LANGUAGE plpgsql AS '
          BEGIN RAISE EXCEPTION ''the ledger is never changed'' USING ERRCODE = ''restrict_violation''; END';
        CREATE TRIGGER ledger_is_never_changed BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger
          FOR EACH STATEMENT EXECUTE FUNCTION refuse_ledger_change();
        """),
    Migration(
      103, name: "the store's share of a sale, in hundredths of a percent, so that the commission can be checked",
      sql: "ALTER TABLE ledger ADD COLUMN basis_points BIGINT;"),
  ]
}
