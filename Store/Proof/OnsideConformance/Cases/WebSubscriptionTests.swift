import ConformanceTable
import Foundation
import OnsideCommerce
import OnsideKit
import OnsideStore
import OnsideVerify
import StoreSales
import Testing

/// A subscription's life, and what an app's server is told, as a page sees it.
@MainActor
@Suite("Web pages: subscriptions", .serialized, .webColumns, .webInstalled, .timeLimit(.minutes(10)))
struct WebSubscriptionTests {
  @Test("SUB-1, ENT-5: a page hears of a renewal, and that its time goes on")
  func renewal() async throws {
    try await Web.run { web in
      try await web.subscribe()
      let end = try await web.page.json("onside.getEntitlements().then(([one]) => one.expirationDate)")
      try await web.renew()
      try await web.page.until(
        "heard.some(([name, all]) => name === 'onEntitlementsChanged' && all[0]?.isActive && all[0].expirationDate > \(end))"
      )
      let amounts = try await web.system.amounts()
      #expect(amounts == [399])
    }
  }

  @Test("SUB-3, ACC-5: a page opens that of the subscriptions, and hears that the renewal is off; what is paid stays")
  func switchedOff() async throws {
    try await Web.run { web in
      try await web.subscribe()
      web.device.user.next(.subscriptions) { try await $0.stopRenewing() }
      let value = try await web.page.json("outcome(onside.presentSubscriptionsManager('\(Web.group)'))")
      #expect(value == "{}")
      try await web.page.until(
        "heard.some(([name, all]) => name === 'onEntitlementsChanged' && all[0]?.isActive && all[0].willAutoRenew === false)"
      )
      let status = "onside.getSubscriptionStatus('\(Web.group)')"
      let secondValue = try await web.page.json(
        "\(status).then(({ state, willAutoRenew, nextPrice }) => [state, willAutoRenew, nextPrice])")
      #expect(secondValue == #"["SUBSCRIBED",false,null]"#)
      try await web.system.letTimePass(seconds: 8 * 86_400)
      try await web.page.until("\(status).then(({ state }) => state === 'EXPIRED')")
      let amounts = try await web.system.amounts()
      #expect(amounts.isEmpty)
    }
  }

  @Test("SUB-5: a page buys a higher plan, and that one alone may be used; the rest of the other's price goes back")
  func upgrade() async throws {
    try await Web.run { web in
      try await web.subscribe()
      let renewal = try await web.renew()
      try await web.buyAndFinish(ExampleProducts.yearly)
      try await web.page.until(web.mayUse(ExampleProducts.yearly))
      try await web.system.deliverOutbox()
      let back = try await web.system.core.refunds.refunds(of: renewal)
      #expect(back.count == 1 && (1...399).contains(back[0].amount.minorUnits))
    }
  }

  @Test("SUB-4, QUE-19: a page asks for a refund; when it is granted, the page hears that the renewal was taken back")
  func refund() async throws {
    try await Web.run { web in
      try await web.subscribe()
      let renewal = try await web.renew()
      let id = renewal.uuidString.lowercased()
      web.device.user.next(.refundRequest) { try await $0.askForRefund() }
      let value = try await web.page.json("outcome(onside.presentRefundRequest('\(id)'))")
      #expect(value == "{}")
      let unknown = "outcome(onside.presentRefundRequest('0199aa00-0000-7000-8000-000000000000'))"
      let secondValue = try await web.page.json(unknown)
      #expect(secondValue == #"{"rejection":{"purchaseNotFound":{}}}"#)
      #expect(web.device.user.count(.refundRequest) == 1)
      try await web.system.core.orders.refund(renewal, because: .refund)
      try await web.page.until(
        "heard.some(([name, all]) => name === 'onTransactionsRevoked' && all[0].transactionIdentifier === '\(id)')")
      try await web.page.until(web.mayUse(nil))
    }
  }

  @Test("SUB-24: a code of the running plan is accepted on a page, and the next renewal has its price")
  func acceptedCode() async throws {
    try await Web.run(offering: [ExampleOffers.code]) { web in
      let code = try await web.system.makeCode()
      try await web.subscribe()
      web.device.user.next(.codeRedemption) { try await $0.renewPlan(on: try await $0.taken(code)) }
      let value = try await web.page.json("outcome(onside.presentCodeRedemption())")
      #expect(value == "{}")
      try await web.renew()
      let amounts = try await web.system.amounts()
      #expect(amounts == [99])
    }
  }

  @Test("PRD-11: a page shows the operator's offerings, buys from them, and has them without a network")
  func offerings() async throws {
    try await Web.run { web in
      try await web.system.offerPlans()
      let offerings = "onside.getOfferings()"
      let plans = try await web.page.json(
        """
        \(offerings).then(({ current, offerings }) => [current, offerings.map(({ id }) => id), offerings[0].metadata,
          offerings[0].products.map(({ productIdentifier, price }) => [productIdentifier, price.value])])
        """)
      #expect(
        plans == #"["plans",["plans","extras"],{"layout":"wide"},[["pro_yearly",31.99],["pro_monthly",3.99]]]"#)
      let value = try await web.page.json(web.buying(ExampleProducts.monthly))
      #expect(value == "{}", "no loadProducts is needed")
      try await web.page.until("onside.getTransactions().then((all) => all[0]?.transactionState === 'purchased')")
      let known = try await web.page.json(offerings)
      web.system.goOffline()
      let secondValue = try await web.page.json(offerings)
      #expect(secondValue == known)
    }
  }

  @Test("ENT-6, VER-1: a page hands the signed list to its server, which verifies it; logged out there is none")
  func signed() async throws {
    try await Web.run { web in
      let value = try await web.page.json("onside.getSignedEntitlements()")
      #expect(value == "null")
      try await web.subscribe()
      let signed: String = try await web.page.value("return await onside.getSignedEntitlements()")
      let keys = try RemoteKeySet(storeURL: web.system.network.address)
      let server = OnsideVerifier(bundleID: TestedSystem.app, environment: .sandbox, keys: keys)
      let productIDs = try await server.verifyEntitlementList(signed).entitlements.map(\.productID)
      #expect(productIDs == [ExampleProducts.monthly])
    }
  }
}

extension Web {
  fileprivate static let group = "21480001"

  /// True when the page has heard last that an account may use a product alone, or nothing.
  fileprivate func mayUse(_ product: String?) -> String {
    let products = product.map { "'\($0)'" } ?? "''"
    return """
      heard.filter(([name]) => name === 'onEntitlementsChanged').at(-1)?.[1]
        .filter(({ isActive }) => isActive).map(({ productIdentifier }) => productIdentifier).join() === \(products)
      """
  }

  /// Lets the page listen, and buys the monthly plan, whose first week is free.
  fileprivate func subscribe() async throws {
    try await page.run(
      """
      listen('onTransactionsUpdated', 'onTransactionsRevoked', 'onEntitlementsChanged');
      await onside.getEntitlements();
      """)
    try await buyAndFinish(ExampleProducts.monthly)
    try await page.until(mayUse(ExampleProducts.monthly))
  }

  /// Lets the trial end, and finishes the renewal that the page hears of; its order.
  @discardableResult
  fileprivate func renew() async throws -> UUID {
    try await system.letTimePass(seconds: 8 * 86_400)
    try await page.until(
      """
      heard.some(([name, all]) => name === 'onTransactionsUpdated' && all.some((one) =>
        one.deliveryReason === 'renewed' && one.transactionState === 'purchased'))
      """)
    try await page.run("for (const { id } of await onside.getTransactions()) await onside.finishTransaction(id)")
    return try #require(try await system.orders(of: device.user).last { $0.reason == .renewal }).id
  }
}
