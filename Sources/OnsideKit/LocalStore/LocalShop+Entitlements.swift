import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideVerify

extension LocalShop {
  /// What an account may use.
  func entitlements(of account: AccountID, at now: Date) -> EntitlementList {
    let bought = orders { $0.owner == account && $0.message.state == .paid && $0.message.duplicateOf == nil }
    return EntitlementList(
      of: bought.compactMap { Entitlement($0.message) }, account: account.description, app: LocalDevice.app,
      environment: .sandbox, at: now, subscriptions: machines(of: account))
  }

  /// Where the subscriptions of an account stand.
  func subscriptions(of account: AccountID, at now: Date) -> SubscriptionsMessage {
    SubscriptionsMessage(
      subscriptions: book.subscriptions.filter { $0.owner == account }.map { message(of: $0, at: now) })
  }

  /// Where a subscription stands.
  func message(of entry: SubscriptionEntry, at now: Date) -> SubscriptionMessage {
    var message = SubscriptionMessage(entry.machine, groupID: entry.groupID) { money in
      PriceMessage(money, formatted: money.formatted(country: storefront, language: settings.language))
    }
    // It may have been ended before the end of what was paid.
    let order = entry.machine.period.flatMap { entry.orders[$0.number] }.flatMap { book.orders[$0]?.message }
    message.expiresAt = order?.expiresAt ?? message.expiresAt
    let offers = offers(for: entry, at: now)
    message.offers = offers.isEmpty ? nil : offers
    return message
  }

  /// The subscriptions of an account, each by the order that paid its last period.
  private func machines(of account: AccountID) -> [UUID: SubscriptionMachine] {
    let pairs = book.subscriptions.filter { $0.owner == account }.compactMap { entry in
      entry.machine.period.flatMap { entry.orders[$0.number] }.map { ($0.uuid, entry.machine) }
    }
    return Dictionary(pairs) { first, _ in first }
  }
}

extension Entitlement {
  /// What a paid order gives; nil for what a restore does not bring back.
  fileprivate init?(_ order: OrderMessage) {
    guard order.product.kind.isRestorable, let paidAt = order.paidAt else { return nil }
    self.init(
      productID: order.product.id, productType: order.product.kind, subscriptionID: order.product.subscriptionGroupID,
      orderID: order.id.uuid, originalOrderID: order.originalOrderID.uuid, purchaseDate: paidAt,
      expiresAt: order.expiresAt,
      revocation: order.revokedAt.map { Revocation(date: $0, reason: order.revocationReason ?? .refund) },
      willRenew: order.product.kind == .autoRenewableSubscription ? false : nil,
      appAccountToken: order.appAccountToken)
  }
}
