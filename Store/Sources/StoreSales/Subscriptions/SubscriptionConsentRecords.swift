import Foundation
import OnsideCommerce
import StoreAccounts
import StoreBase

/// The table of consents, which are never changed. Every call runs inside the caller's transaction.
enum SubscriptionConsentRecords {
  static func insert(
    _ consent: SubscriptionConsent, of key: SubscriptionKey, in transaction: StoreTransaction
  ) throws {
    try ConsentColumns(consent: consent, subscription: key).insert(in: transaction)
  }

  static func consent(_ id: String, in connection: any SQLConnection) throws -> SubscriptionConsent? {
    try connection.row("SELECT * FROM subscription_consents WHERE id = $1", [.text(id)]).map(SubscriptionConsent.init)
  }

  /// The newest consent of a subscription; nil before the first.
  static func present(
    of known: StoredSubscription, in connection: any SQLConnection
  ) throws -> SubscriptionConsent? {
    try known.consent.flatMap { try consent($0, in: connection) }
  }

  /// All consents of a subscription, the oldest first.
  static func all(of key: SubscriptionKey, in connection: any SQLConnection) throws -> [SubscriptionConsent] {
    try connection.rows(
      """
      SELECT * FROM subscription_consents WHERE account_id = $1 AND app_id = $2 AND group_id = $3
      ORDER BY given_at, id
      """, [.text(key.account), .text(key.app), .text(key.group)]
    ).map(SubscriptionConsent.init)
  }
}

/// The columns of a consent.
private struct ConsentColumns: TableRecord {
  static let table = "subscription_consents"
  let consent: SubscriptionConsent
  let subscription: SubscriptionKey

  var key: Columns { ["id": .text(consent.id)] }

  var fixed: Columns {
    [
      "account_id": .text(subscription.account),
      "app_id": .text(subscription.app),
      "group_id": .text(subscription.group),
      "product_id": .text(consent.product),
      "ordered_product": .integer(consent.orderedProduct),
      "country": .text(consent.country.alpha2),
      "amount": .integer(consent.price.minorUnits),
      "currency": .text(consent.price.currency.code),
      "period": .text(consent.period.iso8601),
      "offer_amount": consent.offerPrice.map { SQLValue.integer($0.minorUnits) } ?? .null,
      "method_id": .text(consent.method),
      "given_at": .date(consent.givenAt),
      "way": .text(consent.way.rawValue),
      "given_by": .text(consent.giver.rawValue),
    ]
  }
}

extension SubscriptionConsent {
  fileprivate init(_ row: SQLRow) throws {
    let currency = try row.currency("currency")
    guard let period = Period(iso8601: try row.text("period")), let way = Way(rawValue: try row.text("way")),
      let giver = Giver(rawValue: try row.text("given_by"))
    else { throw StorageError.unexpectedValue(column: "subscription_consents", expected: "a period, way and giver") }
    self.init(
      id: try row.text("id"), product: try row.text("product_id"),
      orderedProduct: try row.integer("ordered_product"), country: try row.country("country"),
      price: Money(minorUnits: try row.integer("amount"), currency: currency), period: period,
      offerPrice: try row.optionalInteger("offer_amount").map { Money(minorUnits: $0, currency: currency) },
      method: try row.optionalText("method_id"), givenAt: try row.date("given_at"), way: way, giver: giver)
  }
}
