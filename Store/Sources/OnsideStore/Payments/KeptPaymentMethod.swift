import OnsideAPI
import OnsideCommerce

/// A method that is kept for subscriptions of an account alone, and is none of its saved methods.
public struct KeptPaymentMethod: Sendable, Hashable, Identifiable {
  /// What it is kept for.
  public struct Use: Sendable, Hashable {
    /// The app.
    public var appID: String
    /// The product's title, in the language of the order that was paid last.
    public var title: String
  }

  /// The newest payment that was made with it.
  public var id: String
  /// The provider that keeps it.
  public var provider: String
  /// What the store knows of it.
  public var details: PaymentMethodDetails
  /// The subscriptions that it is kept for, the newest payment's first.
  public var uses: [Use]
}

extension PaymentSettlement {
  /// The methods that are kept for subscriptions of an account alone, the newest payment's first.
  func keptMethods(of account: String, in connection: any SQLConnection) throws -> [KeptPaymentMethod] {
    let saved = try PaymentMethodRecords.methods(of: account, in: connection)
    let rows = try connection.rows(
      """
      SELECT p.*, o.ordered_product, o.app_id FROM payments p JOIN orders o ON o.id = p.order_id
      WHERE o.account_id = $1 AND p.kept_method IS NOT NULL ORDER BY p.created_at DESC, p.id DESC
      """, [.text(account)])
    var methods: [KeptPaymentMethod] = []
    var known: Set<[String]> = []
    for row in rows {
      let (provider, product) = (try row.text("provider"), try row.integer("ordered_product"))
      guard let details = try PaymentRecords.keptMethod(row),
        known.insert([provider, details.reference, "\(product)"])
          .inserted, !saved.contains(where: { $0.provider == provider && $0.details.reference == details.reference })
      else { continue }
      let title = try orders.products.product(product, in: connection).message.title
      let use = KeptPaymentMethod.Use(appID: try row.text("app_id"), title: title)
      if let index = methods.firstIndex(where: {
        $0.provider == provider && $0.details.reference == details.reference
      }) {
        if !methods[index].uses.contains(use) { methods[index].uses.append(use) }
      } else {
        methods.append(
          KeptPaymentMethod(id: try row.text("id"), provider: provider, details: details, uses: [use]))
      }
    }
    return methods
  }
}
