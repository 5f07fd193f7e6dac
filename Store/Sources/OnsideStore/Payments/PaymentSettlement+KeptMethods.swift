import Foundation
import OnsideCommerce

/// The end of methods that are kept for subscriptions: nobody is to keep a card that will not be charged any more. What
/// it has paid can be given back all the same: a refund is of the charge.
extension PaymentSettlement {
  /// Lets providers forget what was kept for a subscription, and is not charged any more: all of it, once no renewal
  /// can come; before that, all but what has paid the last period.
  func releaseMethods(of key: SubscriptionKey, in transaction: StoreTransaction) throws {
    try release(try payments.keptMethods(ofPeriodsOf: key, in: transaction), of: key.account, in: transaction)
  }

  /// Lets providers forget what another method has taken the place of, when an order has paid a subscription's last
  /// period.
  func releaseReplacedMethods(by order: Order, in transaction: StoreTransaction) throws {
    guard order.state.stage == .paid, let key = order.subscriptionKey,
      try SubscriptionRecords.subscription(key, in: transaction)?.lastOrder == order.id
    else { return }
    try releaseMethods(of: key, in: transaction)
  }

  /// Lets providers forget what was to be kept for a subscription that an order has not begun.
  func releaseMethods(of order: Order, in transaction: StoreTransaction) throws {
    try release(try payments.keptMethods(ofOrder: order.id, in: transaction), of: order.accountID, in: transaction)
  }

  /// Forgets those of an account's methods that nothing is charged with any more; a saved one stays saved.
  private func release(_ methods: [MethodReference], of account: String, in transaction: StoreTransaction) throws {
    guard !methods.isEmpty else { return }
    let used = try usedMethods(of: account, in: transaction)
    let saved = Set(try PaymentMethodRecords.methods(of: account, in: transaction).map(\.reference))
    for method in methods where !used.contains(method) {
      try payments.forgetKept(method.id, at: method.provider, of: account, in: transaction)
      if !saved.contains(method) { try giveBack(method, of: account, in: transaction) }
    }
  }

  /// The kept methods that an account's unpaid orders and its subscriptions that may go on are charged with.
  private func usedMethods(of account: String, in transaction: StoreTransaction) throws -> Set<MethodReference> {
    var used = Set(try payments.keptMethods(ofUnpaidOrdersOf: account, in: transaction))
    for known in try SubscriptionRecords.subscriptions(of: account, in: transaction) where known.machine.isSubscribed {
      guard let kept = try payments.keptMethod(of: known.key, in: transaction) else { continue }
      used.insert(MethodReference(provider: kept.provider, kept.details))
    }
    return used
  }

  /// Writes the outbox row that lets a provider forget a method.
  func giveBack(_ method: MethodReference, of account: String, in transaction: StoreTransaction) throws {
    let request = MethodRemovalRequest(
      reference: method.id, account: account, provider: method.provider, environment: environment)
    try outbox.add(
      PaymentOutboxKind.removeMethod, payload: try OutboxPayload.text(request), due: transaction.now, in: transaction)
  }
}
