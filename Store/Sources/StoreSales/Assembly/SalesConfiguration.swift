package import Foundation

/// The values of a store's configuration that sales use.
package struct SalesConfiguration: Sendable {
  /// The store's share of each sale, in hundredths of a percent.
  package let commissionBasisPoints: Int64
  /// How long an order waits for its payment, in seconds.
  package let orderLifetime: TimeInterval
  /// The delivery lease, in seconds.
  package let deliveryLease: TimeInterval
  /// The limit of an account's unpaid orders.
  package let unpaidOrdersPerAccount: Int
  /// The legal entity that sells.
  package let seller: SellerConfiguration
  /// True if receipts go out by e-mail.
  package let mailsReceipts: Bool

  package init(
    commissionBasisPoints: Int64, orderLifetime: TimeInterval, deliveryLease: TimeInterval,
    unpaidOrdersPerAccount: Int, seller: SellerConfiguration, mailsReceipts: Bool
  ) {
    self.commissionBasisPoints = commissionBasisPoints
    self.orderLifetime = orderLifetime
    self.deliveryLease = deliveryLease
    self.unpaidOrdersPerAccount = unpaidOrdersPerAccount
    self.seller = seller
    self.mailsReceipts = mailsReceipts
  }
}
