package import StoreSales

extension StoreCore {
  /// Causes events in a sandbox.
  package var eventTrigger: EventTrigger {
    EventTrigger(
      dependencies.base, cards: BuiltInProviders.testCards, catalogue: catalogue, orders: orders, payments: payments,
      refunds: refunds, subscriptions: subscriptions)
  }
}
