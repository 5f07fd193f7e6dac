package import OnsideAPI

/// A scripted user of a local store: answers logins and payments in place of its pages.
package protocol LocalPerson: Sendable {
  /// The name to log in under; nil when they close the page.
  func logsIn(suggesting name: String) async -> String?
  /// Whether they pay for an order. They do not retry a refused payment, and do not resolve one that has to wait.
  func pays(for order: OrderMessage) async -> Bool
}

extension LocalDevice {
  func pay(_ order: OrderMessage, as person: any LocalPerson) async {
    let agrees = await person.pays(for: order)
    if Task.isCancelled { return }
    local.change { shop, now in
      let isRefused = shop.declineReason != nil || shop.nextFailure(of: .purchase) != nil
      let outcome = shop.obstacle.map(LocalPaymentOutcome.waits) ?? .paid
      shop.settle(order.id, with: agrees && !isRefused ? outcome : .cancelled, at: now)
    }
    await local.save()
  }
}
