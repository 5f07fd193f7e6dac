package import OnsideAPI

/// A scripted user of a local store: answers in place of its pages.
package protocol LocalPerson: Sendable {
  /// The name to log in under; nil when they close the page.
  func logsIn(suggesting name: String) async -> String?
  /// Whether they pay for an order. They do not retry a refused payment, and do not resolve one that has to wait.
  func pays(for order: OrderMessage) async -> Bool
  /// The code that they enter on the page for codes; nil when they close it. They do not retry a refused one.
  func entersCode() async -> String?
  /// The page for codes says what is wrong with the code.
  func reads(_ problem: String)
}

/// A person who has no code.
extension LocalPerson {
  package func entersCode() async -> String? { nil }
  package func reads(_ problem: String) {}
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
