package import OnsideCommerce
import StoreAccounts
package import StoreBase

/// Builds each type that settles payments once, from the lowest one up. The compiler rejects a use before the
/// initialisation, so that no type can hold one above it. Each service takes from it the types that it uses.
package struct SettlementAssembly: Sendable {
  package let orders: OrderRecords
  package let payments = PaymentRecords()
  package let ledger: Ledger
  let owned: OwnedPurchases
  let cancellation: OrderCancellation
  let obstacles: PaymentObstacles
  let unusedTime: UnusedTimeRefunds
  let consents: SubscriptionConsents
  let prices: SubscriptionPrices
  let renewals: SubscriptionRenewals
  let lifecycle: SubscriptionLifecycle
  let runningPlans: RunningPlans
  let methods: PaymentMethods
  package let grants: PurchaseGrants
  package let refunds: RefundSettlement
  let startedPayments: StartedPayments
  package let events: ProviderEvents

  /// - Parameter providerStep: the smallest amount that a provider moves in a currency.
  package init(
    _ dependencies: BaseDependencies, configuration: SalesConfiguration, orders: OrderRecords, keys: SigningKeys,
    renewalIDs: DerivedID, providerStep: @escaping @Sendable (_ provider: String, Currency) -> Money
  ) {
    let (environment, random, outbox) = (dependencies.environment, dependencies.random, OutboxRecords())
    self.orders = orders
    ledger = Ledger(commissionBasisPoints: configuration.commissionBasisPoints)
    owned = OwnedPurchases(orders: orders)
    let orderPayments = OrderPayments(orders: orders, payments: payments)
    cancellation = OrderCancellation(
      orders: orders, payments: payments, owned: owned, environment: environment, outbox: outbox)
    obstacles = PaymentObstacles(orders: orders, owned: owned)
    let signer = ReceiptSigner(orders: orders, keys: keys, environment: environment)
    let sales = SaleBooking(
      ledger: ledger, seller: configuration.seller, mailsReceipts: configuration.mailsReceipts, outbox: outbox)
    let booking = RefundBooking(
      payments: payments, ledger: ledger, environment: environment, outbox: outbox,
      providerStep: providerStep)
    let periods = PeriodOrders(orders: orders, signer: signer)
    unusedTime = UnusedTimeRefunds(
      orders: orders, payments: payments, ledger: ledger, random: random, periods: periods, booking: booking)
    let messages = SubscriberMessageWriter(orders: orders, payments: payments, random: random, outbox: outbox)
    consents = SubscriptionConsents(orders: orders, random: random)
    prices = SubscriptionPrices(orders: orders, random: random, messages: messages)
    renewals = SubscriptionRenewals(
      orders: orders, payments: payments, environment: environment, renewalIDs: renewalIDs, cancellation: cancellation,
      prices: prices, outbox: outbox)
    lifecycle = SubscriptionLifecycle(
      orders: orders, payments: payments, environment: environment, periods: periods, unusedTime: unusedTime,
      messages: messages, consents: consents, prices: prices, renewals: renewals)
    runningPlans = RunningPlans(
      orders: orders, owned: owned, cancellation: cancellation, prices: prices, lifecycle: lifecycle)
    methods = PaymentMethods(payments: payments, environment: environment, lifecycle: lifecycle)
    grants = PurchaseGrants(
      orders: orders, derivedIDs: renewalIDs, owned: owned, signer: signer, lifecycle: lifecycle)
    refunds = RefundSettlement(
      orders: orders, payments: payments, ledger: ledger, derivedIDs: renewalIDs, orderPayments: orderPayments,
      signer: signer, booking: booking, lifecycle: lifecycle, methods: methods, grants: grants)
    let charges = ChargeSettlement(
      orders: orders, owned: owned, orderPayments: orderPayments, cancellation: cancellation, obstacles: obstacles,
      signer: signer, sales: sales, booking: booking, lifecycle: lifecycle, methods: methods)
    let disputes = DisputeSettlement(
      orders: orders, payments: payments, ledger: ledger, booking: booking, lifecycle: lifecycle, grants: grants,
      refunds: refunds)
    startedPayments = StartedPayments(orders: orders, payments: payments, charges: charges, refunds: refunds)
    events = ProviderEvents(
      orders: orders, payments: payments, ledger: ledger, environment: environment, methods: methods, charges: charges,
      refunds: refunds, disputes: disputes)
  }
}
