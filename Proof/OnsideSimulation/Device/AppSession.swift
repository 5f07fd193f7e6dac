import Foundation
import OnsideAPI
import OnsideCommerce
import OnsideKit

/// One launch of the app: the real account and payment queue of the SDK, and what the app asks of them.
@MainActor
final class AppSession {
  let link: DeviceLink
  private let account: AccountController
  private let queue: PaymentQueue
  private let device: SimulatedDevice

  init(_ device: SimulatedDevice, link: DeviceLink, dependencies: Dependencies) {
    self.device = device
    self.link = link
    account = AccountController(
      store: link, dependencies: dependencies,
      host: AccountController.Host(countryHint: { nil }, forcesLocalMethods: { false }))
    queue = PaymentQueue(store: link, account: account, dependencies: dependencies)
    account.start()
    device.app.launched()
    device.app.session = self
    queue.delegate = device.app
    queue.add(observer: device.app)
  }

  var transactions: [OnsidePaymentTransaction] { queue.transactions }
  var signedIn: SignedIn? { account.signedIn }

  func add(_ productID: String, quantity: Int, in world: SimulatedWorld) {
    let country = CountryCode(alpha2: queue.storefront?.countryCode ?? "NL") ?? .netherlands
    guard let payment = SimulatedProducts.payment(productID, quantity: quantity, in: country) else { return }
    world.trace { _ in "\(self.device.name) adds \(quantity) × \(productID)" }
    let call = device.app.calls()
    let buyer = account.signedIn?.accountID
    queue.add(payment) {
      [app = device.app, account] result in
      app.completed(
        call, isPayment: (try? result.get()) != nil, account: buyer ?? account.signedIn?.accountID,
        productID: productID)
    }
  }

  /// Calls the asynchronous `purchase`, twice for a double tap.
  func purchase(_ productID: String, quantity: Int, taps: Int, in world: SimulatedWorld) {
    for _ in 0..<taps {
      let call = device.app.calls()
      Task { [app = device.app] in
        let result = await result(ofPurchasing: productID, quantity: quantity, in: world)
        // A call of a launch that has ended has no receiver.
        guard app.session === self, isAlive else { return }
        app.completed(call)
        if let transaction = world.purchase(of: result) { app.receives(transaction) }
      }
    }
  }

  /// Calls `purchase` while an account is signed in, so that the buyer is known.
  private func result(
    ofPurchasing productID: String, quantity: Int, in world: SimulatedWorld
  ) async -> OnsidePurchaseResult? {
    guard let buyer = account.signedIn,
      let payment = SimulatedProducts.payment(productID, quantity: quantity, in: buyer.country)
    else { return nil }
    world.trace { _ in "\(self.device.name) purchases \(quantity) × \(productID)" }
    device.app.wishes(for: productID, by: buyer.accountID)
    return try? await queue.purchase(payment.product, quantity: quantity)
  }

  func restore() {
    let call = device.app.calls()
    queue.restoreCompletedTransactions { [app = device.app] _ in app.completed(call) }
  }

  func finish(_ id: UUID) {
    guard let transaction = transactions.first(where: { $0.id == id }) else { return }
    device.app.finishes(transaction)
    queue.finishTransaction(transaction)
  }

  /// Whether the process lives: one that has died in the middle of a call to its disk hears of nothing any more.
  var isAlive: Bool { !device.disk.hasDied }

  func toggleObserver() {
    if queue.transactionObservers.isEmpty {
      observe()
    } else {
      queue.remove(observer: device.app)
      device.app.stopsListening()
    }
  }

  func observe() {
    device.app.startsListening()
    queue.add(observer: device.app)
  }

  func logout() {
    device.signedIn = nil
    account.logout()
  }

  func login() { Task { [account] in _ = await account.ensureSignedIn() } }

  /// Nothing of this launch has any effect from here on; what it has under way is brought to an end.
  func end() {
    link.die()
    let (account, queue) = (account, queue)
    Task {
      account.stop()
      await queue.close()
    }
  }
}
