import OnsideCommerce
package import StoreAccounts
package import StoreBase
package import StorePayments
package import StoreWeb

// The services that use most types of settlement take them from the assembly.

extension OrderService {
  package convenience init(
    _ dependencies: BaseDependencies, configuration: SalesConfiguration, settlement: SettlementAssembly,
    tokens: VersionedKey<PaymentToken>, keys: SigningKeys, address: PublicAddress, refunds: RefundService,
    provider: String, quotes: QuoteCache, changes: ChangeHub, leases: DeliveryLeases
  ) {
    self.init(
      dependencies, lifetime: configuration.orderLifetime, unpaidLimit: configuration.unpaidOrdersPerAccount,
      records: settlement.orders,
      json: OrderJSON(tokens: tokens, keys: keys, address: address, deliveryLease: leases.lifetime),
      owned: settlement.owned, cancellation: settlement.cancellation, obstacles: settlement.obstacles,
      renewals: settlement.renewals, runningPlans: settlement.runningPlans, refunds: refunds, provider: provider,
      quotes: quotes, changes: changes, leases: leases)
  }
}

extension SubscriptionService {
  package convenience init(
    _ dependencies: BaseDependencies, settlement: SettlementAssembly, providers: PaymentProviders,
    catalogue: CatalogueService, quotes: QuoteCache, changes: ChangeHub
  ) {
    self.init(
      dependencies, orders: settlement.orders, unusedTime: settlement.unusedTime, consents: settlement.consents,
      prices: settlement.prices, lifecycle: settlement.lifecycle, refunds: settlement.refunds, providers: providers,
      catalogue: catalogue, quotes: quotes, changes: changes)
  }
}

extension PaymentService {
  package convenience init(
    _ dependencies: BaseDependencies, configuration: SalesConfiguration, settlement: SettlementAssembly,
    providers: PaymentProviders, outbox: Outbox, quotes: QuoteCache, tokens: VersionedKey<PaymentToken>,
    changes: ChangeHub
  ) {
    self.init(
      dependencies, orderLifetime: configuration.orderLifetime, orders: settlement.orders,
      payments: settlement.payments, owned: settlement.owned, cancellation: settlement.cancellation,
      obstacles: settlement.obstacles, unusedTime: settlement.unusedTime, prices: settlement.prices,
      renewals: settlement.renewals, lifecycle: settlement.lifecycle, runningPlans: settlement.runningPlans,
      paymentMethods: settlement.methods, startedPayments: settlement.startedPayments, events: settlement.events,
      providers: providers, outbox: outbox, quotes: quotes, tokens: tokens, changes: changes)
  }
}
