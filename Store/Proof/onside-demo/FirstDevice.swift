import Foundation
import OnsideKit

/// The first device: looks at products, buys two of them, verifies, finishes, sees a refund, logs out.
@MainActor
struct FirstDevice {
  let app: AppObserver
  let store: URL

  func run() async throws {
    let queue = Onside.defaultPaymentQueue()
    queue.delegate = app
    Onside.delegate = app
    queue.add(observer: app)
    let products = try await showProducts(queue)
    let coins = try await buyFirst(products["coins_100"], on: queue)
    let adFree = try await buySecond(products["remove_ads"], on: queue)
    try await verifyHistory(contains: [coins, adFree])
    try await finish([coins, adFree], on: queue)
    Report.askForSecondDevice()
    try await refund(adFree)
    try await logOut(queue)
  }

  private func showProducts(_ queue: any OnsidePaymentQueue) async throws -> [String: OnsideProduct] {
    let response = try await Onside.products(for: ["coins_100", "remove_ads", "pro_monthly", "no_such_product"])
    try expect(queue.storefront == nil, "logged out, yet there is a storefront")
    try expect(
      response.products.allSatisfy { $0.price.currencyCode == "EUR" }, "prices of region DE are not all in EUR")
    try expect(response.invalidProductIdentifiers == ["no_such_product"], "the unknown identifier was not named")
    let list = response.products.map { "\($0.localizedTitle) \($0.price.formatted)" }.joined(separator: ", ")
    Report.step("products, logged out", proof: "region DE by the app's hint: \(list); unknown: no_such_product")
    return Dictionary(uniqueKeysWithValues: response.products.map { ($0.productIdentifier, $0) })
  }

  private func buyFirst(
    _ product: OnsideProduct?, on queue: any OnsidePaymentQueue
  ) async throws -> OnsidePaymentTransaction {
    guard let product else { throw DemoFailure("coins_100 is not sold in DE") }
    var payment = OnsidePayment(product: product)
    payment.appAccountToken = "user-4711"
    try await queue.add(payment)
    try expect(queue.storefront?.countryCode == "NL", "after the login the storefront is not the account's NL")
    Report.step("login on demand", proof: "the account's region NL is the storefront, its observers were told")
    guard case .gate(let from, let to) = try await app.next("the storefront gate", where: \.isGate) else {
      throw DemoFailure("lost what was heard")
    }
    Report.step("region gate", proof: "enqueued in \(from), about to run in \(to): the app was asked and agreed")
    let bought = try await app.transaction(of: product.productIdentifier, .purchased)
    try expect(bought.storefront.countryCode == "NL", "the order did not run in NL")
    try expect(bought.payment.appAccountToken == "user-4711", "the app account token did not come back byte for byte")
    try expect(bought.transactionIdentifier != nil, "the purchase has no order")
    Report.step(
      "payment and delivery",
      proof:
        "\(product.productIdentifier) \(bought.deliveryReason.rawValue), order \(bought.transactionIdentifier ?? "")")
    return bought
  }

  private func buySecond(
    _ product: OnsideProduct?, on queue: any OnsidePaymentQueue
  ) async throws -> OnsidePaymentTransaction {
    guard let product else { throw DemoFailure("remove_ads is not sold in DE") }
    let fresh = try await Onside.products(for: [product.productIdentifier])
    guard let product = fresh.products.first else { throw DemoFailure("remove_ads is not sold in NL") }
    try await queue.add(OnsidePayment(product: product))
    let bought = try await app.transaction(of: product.productIdentifier, .purchased)
    let gates = app.heard.filter(\.isGate).count
    try expect(gates == 1, "the gate was asked \(gates) times, once was right: this one ran where it was enqueued")
    Report.step("second purchase, signed in", proof: "no login, no gate, \(product.price.formatted), delivered")
    return bought
  }

  private func verifyHistory(contains bought: [OnsidePaymentTransaction]) async throws {
    let history = try await Onside.signedInAppsHistory()
    guard let text = history.string else { throw DemoFailure("the signed history is not text") }
    let orders = try await HistoryCheck(store: store).verify(text)
    let expected = Set(bought.compactMap(\.transactionIdentifier))
    try expect(Set(orders) == expected, "the history has the orders \(orders), expected \(expected)")
    try await HistoryCheck(store: store).refuseForgery(of: text)
    Report.step(
      "signed history",
      proof: "\(orders.count) purchases, ES256 verified with the store's key set; a forged one is refused")
  }

  private func finish(_ bought: [OnsidePaymentTransaction], on queue: any OnsidePaymentQueue) async throws {
    for transaction in bought {
      queue.finishTransaction(transaction)
      try await app.removal(of: transaction)
    }
    try expect(queue.transactions.isEmpty, "the queue is not empty after everything was finished")
    Report.step("finish", proof: "both left the queue; nothing is delivered twice")
  }

  private func refund(_ bought: OnsidePaymentTransaction) async throws {
    Report.askForRefund(of: bought.transactionIdentifier ?? "")
    try await app.revocation(of: bought)
    Report.step("refund", proof: "the operator refunded it; the running app was told within one sync")
  }

  private func logOut(_ queue: any OnsidePaymentQueue) async throws {
    Onside.logout()
    try expect(queue.storefront == nil, "logged out, yet there is a storefront")
    _ = try await app.next("the change of storefront") { if case .storefront(nil) = $0 { true } else { false } }
    Report.step("logout", proof: "no storefront, observers told")
  }
}
