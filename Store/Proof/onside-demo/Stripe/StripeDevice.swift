import Foundation
import OnsideKit

/// A device whose user saves a card and buys with it.
@MainActor
struct StripeDevice {
  let app: AppObserver

  func run() async throws {
    let queue = Onside.defaultPaymentQueue()
    queue.delegate = app
    Onside.delegate = app
    queue.add(observer: app)
    try await Onside.login()
    try await Onside.managePaymentMethods()
    let response = try await Onside.products(for: ["coins_100"])
    guard let product = response.products.first else { throw DemoFailure("coins_100 is not sold") }
    try await queue.add(OnsidePayment(product: product))
    let bought = try await app.transaction(of: product.productIdentifier, .purchased)
    let order = bought.transactionIdentifier ?? ""
    Report.step(
      "purchase", proof: "\(product.price.formatted) with the saved card, delivered to the app, order \(order)")
    queue.finishTransaction(bought)
    try await app.removal(of: bought)
    Report.askForRefund(of: order)
  }
}
