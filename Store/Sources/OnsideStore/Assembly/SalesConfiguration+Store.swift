import StoreSales
import StoreWeb

extension SalesConfiguration {
  init(_ dependencies: StoreDependencies) {
    let configuration = dependencies.configuration
    self.init(
      commissionBasisPoints: configuration.commissionBasisPoints, orderLifetime: configuration.orderLifetime,
      deliveryLease: configuration.deliveryLease,
      unpaidOrdersPerAccount: configuration.limits.unpaidOrdersPerAccount, seller: configuration.seller,
      mailsReceipts: dependencies.mailsReceipts)
  }
}
