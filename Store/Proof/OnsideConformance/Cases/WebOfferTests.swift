import ConformanceTable
import Foundation
import OnsideCommerce
import OnsideKit
import OnsideStore
import ScriptedBrowser
import StorePayments
import StoreTestSupport
import Testing

/// Offers, codes and failed renewals as a page sees them.
@MainActor
@Suite("Web pages: offers", .serialized, .webColumns, .webInstalled, .timeLimit(.minutes(10)))
struct WebOfferTests {
  private static let group = "21480001"

  @Test("SUB-11: a page opens the screen for codes, and hears of what was redeemed there")
  func code() async throws {
    try await Web.run(offering: [ExampleOffers.code]) { web in
      try await web.page.run("listen('onTransactionsUpdated')")
      let code = try await web.system.makeCode()
      web.device.user.next(.codeRedemption) { try await $0.goBack(from: try await $0.entered("WRONG-CODE")) }
      let value = try await web.page.json("outcome(onside.presentCodeRedemption())")
      #expect(value == "{}")
      web.device.user.next(.codeRedemption) { try await $0.redeem(code) }
      let secondValue = try await web.page.json("outcome(onside.presentCodeRedemption())")
      #expect(secondValue == "{}")
      try await web.page.until(
        "heard.some(([name, all]) => name === 'onTransactionsUpdated' && all[0].transactionState === 'purchased')")
      let amounts = try await web.system.amounts()
      #expect(amounts == [99])
    }
  }

  @Test("SUB-11: a login that the user closes rejects, and no screen for codes is shown")
  func loggedOut() async throws {
    try await Web.run { web in
      web.device.user.next(.login) { try await $0.cancel() }
      let outcome = try await web.page.json("outcome(onside.presentCodeRedemption())")
      #expect(outcome == #"{"rejection":{"loginDiscarded":{}}}"#)
      #expect(web.device.user.count(.codeRedemption) == 0)
    }
  }

  @Test("SUB-10, PRD-12, QUE-29: a page finds the offers of who has left, and buys with one of them")
  func winBack() async throws {
    try await Web.run(offering: [ExampleOffers.winBack, ExampleOffers.lesserWinBack]) { web in
      try await web.lapse(Self.group)
      let offers = "onside.getSubscriptionStatus('\(Self.group)').then(({ offers }) => offers)"
      let value = try await web.page.json(offers)
      #expect(
        value == #"[{"offerIdentifier":"back","productIdentifier":"pro_monthly"},"#
          + #"{"offerIdentifier":"back_later","productIdentifier":"pro_monthly"}]"#)
      try await web.load(ExampleProducts.monthly)
      try await web.buy(offer: "{ offerIdentifier: 'back' }")
      let amounts = try await web.system.amounts()
      #expect(amounts == [199, 399])
    }
  }

  @Test("SUB-12, QUE-29: a page passes the signature of its server on; without one nothing is sold")
  func promotional() async throws {
    try await Web.run(offering: [ExampleOffers.promotional]) { web in
      let signer = try await web.system.makeOfferSigner()
      try await web.lapse(Self.group)
      try await web.load(ExampleProducts.monthly)
      let unsigned = "{ productIdentifier: 'pro_monthly', offer: { offerIdentifier: 'loyal' } }"
      let value = try await web.page.json("outcome(onside.purchase(\(unsigned)))")
      #expect(value == "{}")
      try await web.page.until("onside.getTransactions().then((all) => all[0]?.transactionState === 'failed')")
      try await web.page.run("for (const { id } of await onside.getTransactions()) await onside.finishTransaction(id)")
      let signature = try #require(try signer.offer(for: "customer 7").signature)
      try await web.buy(
        offer: "{ offerIdentifier: 'loyal', signature: '\(signature)' }", token: "customer 7")
      let amounts = try await web.system.amounts()
      #expect(amounts == [149, 399])
    }
  }

  @Test("SUB-2: a page is told of a subscription whose card was refused, and that it may still be used")
  func refused() async throws {
    try await Web.run { web in
      try await web.buyAndFinish(ExampleProducts.monthly)
      try await web.system.setCards(of: web.device.user, to: .declined)
      try await web.system.letTimePass(seconds: 8 * 86_400)
      let state = "onside.getSubscriptionStatus('\(Self.group)').then(({ state }) => state)"
      try await web.page.until("\(state).then((state) => state === 'IN_GRACE_PERIOD')")
      let active = "onside.getEntitlements().then((all) => all.some((one) => one.isActive))"
      let value = try await web.page.json(active)
      #expect(value == "true")
    }
  }
}

extension Web {
  /// Buys the monthly plan, pays for a month after the trial, and lets the subscription end.
  fileprivate func lapse(_ group: String) async throws {
    try await buyAndFinish(ExampleProducts.monthly)
    let user = device.user
    try await system.letTimePass(seconds: 8 * 86_400)
    try await NamedDeadline.wait(for: "a charge of the renewal", every: .milliseconds(20)) {
      try await system.amounts() == [399]
    }
    try await system.stopRenewing(ExampleProducts.monthly, of: user)
    for _ in 1...2 {
      try await system.letTimePass(seconds: 16 * 86_400)
      try await page.run("await onside.getSubscriptionStatus('\(group)')")
    }
    try await page.until("onside.getSubscriptionStatus('\(group)').then(({ state }) => state === 'EXPIRED')")
    try await page.run("for (const { id } of await onside.getTransactions()) await onside.finishTransaction(id)")
  }

  /// Buys the monthly plan with an offer, as an expression, and waits until it is paid.
  fileprivate func buy(offer: String, token: String? = nil) async throws {
    let token = token.map { ", appAccountToken: '\($0)'" } ?? ""
    let request = "{ productIdentifier: '\(ExampleProducts.monthly)'\(token), offer: \(offer) }"
    let value = try await page.json("outcome(onside.purchase(\(request)))")
    #expect(value == "{}")
    try await page.until(
      "onside.getTransactions().then((all) => all.some((one) => one.transactionState === 'purchased'))")
  }
}
