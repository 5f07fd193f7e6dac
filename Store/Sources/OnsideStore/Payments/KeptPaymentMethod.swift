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

  /// The payment that has paid the last period of the first of these subscriptions.
  public var id: String
  /// The provider that keeps it.
  public var provider: String
  /// What the store knows of it.
  public var details: PaymentMethodDetails
  /// The subscriptions that it is kept for.
  public var uses: [Use]
}

extension PaymentSettlement {
  /// The methods that are kept for subscriptions of an account alone: those that their next renewals are charged to.
  func keptMethods(of account: String, in connection: any SQLConnection) throws -> [KeptPaymentMethod] {
    let saved = Set(try PaymentMethodRecords.methods(of: account, in: connection).map(\.reference))
    var methods: [KeptPaymentMethod] = []
    for known in try SubscriptionRecords.subscriptions(of: account, in: connection) {
      guard let (provider, details) = try payments.keptMethod(of: known.key, in: connection),
        let order = try orders.order(known.lastOrder, in: connection), let payment = order.paymentID
      else { continue }
      let reference = MethodReference(provider: provider, details)
      guard !saved.contains(reference) else { continue }
      let use = KeptPaymentMethod.Use(appID: known.key.app, title: order.product.message.title)
      if let index = methods.firstIndex(where: { $0.reference == reference }) {
        methods[index].uses.append(use)
      } else {
        methods.append(KeptPaymentMethod(id: payment, provider: provider, details: details, uses: [use]))
      }
    }
    return methods
  }
}
