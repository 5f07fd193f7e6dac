package import StoreBase

extension Migration {
  /// The steps of the sales domains. The order is irrelevant; `MigrationPlan` sorts by number.
  package static let storeSales: [Migration] =
    signingKeys + catalogue + offerings + orders + unpaidOrders + ledger + payments + refunds + disputes
    + refundRequests + subscriptions + subscriptionMessages + renewalPrices + offerCodes + offerKeys
    + deletedSubscribers + tax + receipts + payouts + merchantEvents + merchantCustomers
}
