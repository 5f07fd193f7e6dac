package import Foundation
import OnsideAPI
import OnsideCommerce

extension OrderService {
  /// Writes a subscription's next period into the books, paid; answers its id.
  package func renew(_ order: Order) async throws -> UUID {
    let now = dependencies.clock.now()
    let renewal = Order(
      id: dependencies.random.uuid7(at: now), accountID: order.accountID, appID: order.appID, product: order.product,
      quantity: 1, country: order.country, price: order.price, priceText: order.priceText,
      state: OrderState(stage: .paid), reason: .renewal, appAccountToken: order.appAccountToken,
      language: order.language, createdAt: now, paidAt: now,
      expiresAt: order.product.message.subscriptionPeriod?.adding(to: now), originalOrderID: order.id)
    try await dependencies.database.write(at: now) { [records, settlement, provider] transaction in
      try records.insert(renewal, in: transaction)
      try settlement.book(renewal, provider: provider, in: transaction)
    }
    changes.wake(account: order.accountID)
    return renewal.id
  }
}
