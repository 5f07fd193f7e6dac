import OnsideCommerce

@testable import OnsideStore
@testable import StoreSales
@testable import StoreWeb

/// Subscriptions on the account page, and the page of one in each of its states.
extension PageSamples {
  static func subscriptions(_ texts: Texts) -> [AccountPage.Subscription] {
    let renews = texts(.subscriptionRenews, ["price": "€ 9,99".isolated, "date": day(20, in: texts)])
    let address = "/account/subscriptions?app=lumen&group=plus"
    return [
      .init(
        title: "Lumen Plus", state: texts[.stateActive], stateClass: "good", detail: renews,
        method: texts(.cardNote, ["brand": "Visa", "digits": "4242"]), payAddress: nil,
        address: address),
      .init(
        title: "Daily maps", state: texts[.stateEnding], stateClass: "plain",
        detail: texts(.subscriptionEnds, ["date": day(21, in: texts)]), method: nil, payAddress: nil, address: address),
      .init(
        title: "Radio", state: texts[.stateUnpaid], stateClass: "",
        detail: texts(.subscriptionGrace, ["date": day(24, in: texts)]),
        method: texts(.cardNote, ["brand": "Mastercard", "digits": "4444"]), payAddress: "/pay/t", address: address),
    ]
  }

  /// The question before the removal of a payment method, with and without another saved one.
  static func methodRemoval(_ texts: Texts) -> [(String, any Page)] {
    let words = ["price": "€ 9,99".isolated, "date": day(20, in: texts)]
    func page(_ others: [PageOption], error: String? = nil) -> MethodRemovalPage {
      MethodRemovalPage(
        heading: texts(
          .methodRemoveTitle, ["card": texts(.cardNote, ["brand": "Visa", "digits": "4242"]).isolated]),
        error: error,
        uses: [
          .init(
            name: texts(.methodsUse, ["product": "Plus".isolated, "app": "Lumen".isolated]),
            state: texts[.stateActive], stateClass: "good", detail: texts(.subscriptionRenews, words)),
          .init(
            name: texts(.methodsUse, ["product": "Radio".isolated, "app": "Lumen".isolated]),
            state: texts[.stateUnpaid], stateClass: "", detail: texts(.subscriptionGrace, words),
            pays: texts(.methodRemovePays, words)),
        ], others: others, method: "1", statement: "lumen/plus=999 EUR", action: "/methods/t")
    }
    let other = PageOption(value: "2", label: texts(.cardNote, ["brand": "Mastercard", "digits": "4444"]))
    return [("method-removal", page([other], error: texts[.planRepriced])), ("method-removal-only", page([]))]
  }

  private static func subscription(_ texts: Texts, lead: String, state: TextKey, style: String) -> SubscriptionPage {
    SubscriptionPage(
      heading: "Lumen Plus", description: "Everything in Lumen, without limits.", state: texts[state],
      stateClass: style, lead: lead,
      facts: [
        .init(label: texts[.planPrice], value: "€ 9,99".isolated + " " + texts.rhythm(.oneMonth)),
        .init(label: texts[.planPaidUntil], value: day(20, in: texts)),
        .init(label: texts[.planLastPayment], value: texts[.accountReceipt], address: "/receipt/t"),
        .init(label: texts[.methodFact], value: texts(.cardNote, ["brand": "Visa", "digits": "4242"])),
      ], app: "lumen", group: "plus", plansTitle: texts[.planTitle])
  }

  /// A subscription that is over, with an offer to come back.
  private static func ended(_ texts: Texts) -> SubscriptionPage {
    var ended = subscription(
      texts, lead: texts(.subscriptionEnded, ["date": day(20, in: texts)]), state: .stateEnded, style: "plain")
    ended.plansTitle = texts[.winBackTitle]
    let words = [
      "offer": "€ 4,99".isolated, "duration": texts.length(.oneMonth, times: 3),
      "price": "€ 9,99".isolated + " " + texts.rhythm(.oneMonth),
    ]
    ended.plans = [
      .init(
        id: "plus", title: "Lumen Plus", price: texts(.offerPaidRenews, words), note: texts[.planNow],
        submitLabel: texts(.winBackTake, ["price": "€ 4,99".isolated]), shownPrice: "499 EUR", order: "1",
        offer: "again")
    ]
    return ended
  }

  /// The way back from a page that an app has opened.
  private static func backToApp(_ texts: Texts) -> PageLink {
    PageLink(label: texts(.backToApp, ["app": "Lumen".isolated]), address: "lumen://onside?state=s")
  }

  static func redemption(_ texts: Texts) -> [(String, any Page)] {
    let words = [
      "offer": "€ 0,99".isolated, "duration": texts.length(.oneMonth, times: 3),
      "price": "€ 9,99".isolated + " " + texts.rhythm(.oneMonth),
    ]
    let found = RedeemPage.Found(
      app: "Lumen", title: "Lumen Plus", description: "Everything in Lumen, without limits.",
      price: texts(.offerPaidRenews, words), order: "1")
    let back = backToApp(texts)
    return [
      ("redeem", RedeemPage(code: "")),
      ("redeem-unknown", RedeemPage(code: "K7QP-3MWX-9RTH", error: texts[.redeemUnknown])),
      ("redeem-found", RedeemPage(code: "K7QP-3MWX-9RTG", found: found)),
      ("redeem-screen", RedeemPage(code: "", back: back)),
      (
        "redeem-screen-other",
        RedeemPage(code: "SPRING26", error: texts(.redeemOtherApp, ["app": "Tideline".isolated]), back: back)
      ),
      ("redeem-screen-found", RedeemPage(code: "K7QP-3MWX-9RTG", found: found, back: back)),
    ]
  }

  static func subscriptionPages(_ texts: Texts) -> [(String, any Page)] {
    let words = [
      "price": "€ 9,99".isolated, "date": day(20, in: texts), "start": day(20, in: texts),
      "plan": "Lumen Basic".isolated,
    ]
    var active = subscription(
      texts, lead: texts(.subscriptionRenews, words), state: .stateActive, style: "good")
    active.notice = texts[.planKept]
    active.plans = [
      .init(
        id: "family", title: "Lumen Family", price: "€ 14,99".isolated + " " + texts.rhythm(.oneMonth),
        note: texts(.planNowBack, ["amount": "€ 6,76".isolated]), submitLabel: texts[.planChange],
        shownPrice: "1499 EUR", order: "1"),
      .init(
        id: "year", title: "Lumen Plus", price: "€ 99,99".isolated + " " + texts.rhythm(.oneYear),
        note: texts(.planLater, words), submitLabel: texts[.planChoose], shownPrice: "9999 EUR", order: "2"),
    ]
    active.pause = texts(.pauseLead, words)
    active.pauseLengths = (1...3).map { PageOption(value: String($0), label: texts.length(.oneMonth, times: $0)) }
    active.stopLabel = texts[.subscriptionStop]
    var planned = subscription(texts, lead: texts(.subscriptionPaid, words), state: .stateActive, style: "good")
    planned.planned = [
      .init(
        text: texts(.planChanges, words), label: texts(.planKeep, ["plan": "Lumen Plus".isolated]), field: "plan",
        value: "plus"),
      .init(text: texts(.pausePlanned, words), label: texts[.pauseDrop], field: "pause", value: "0"),
    ]
    planned.error = texts[.planRepriced]
    planned.stopLabel = texts[.subscriptionStop]
    var asked = subscription(
      texts, lead: texts(.subscriptionPaid, words), state: .stateActive, style: "good")
    let prices = words.merging(["old": "€ 6,99".isolated]) { $1 }
    asked.question = .init(
      text: texts(.priceAsk, prices), agreeLabel: texts(.priceAgree, prices), shownPrice: "999 EUR")
    asked.stopLabel = texts[.subscriptionStop]
    var askedOptionally = asked
    askedOptionally.question?.text = texts(.priceAskOptional, prices)
    planned.priceNote = texts(.priceTold, prices)
    var paused = subscription(texts, lead: texts(.pauseRuns, words), state: .statePaused, style: "plain")
    paused.resumption = .init(text: texts[.pauseEndLead], label: texts(.pauseEnd, words), shownPrice: "999 EUR")
    paused.stopLabel = texts[.subscriptionEndNow]
    paused.methodChoice = .init(options: [], submitLabel: texts[.methodSubmit], shownPrice: "999 EUR")
    var ending = subscription(texts, lead: texts(.subscriptionEnds, words), state: .stateEnding, style: "plain")
    ending.renewal = .init(
      text: texts(.subscriptionRenews, words), label: texts[.subscriptionResume], shownPrice: "999 EUR")
    var unpaid = subscription(texts, lead: texts(.subscriptionGrace, words), state: .stateUnpaid, style: "")
    unpaid.payAddress = "/pay/t"
    unpaid.priceNote = texts(.planUnpaid, words)
    unpaid.plans = [
      .init(
        id: "plus", title: "Lumen Plus", price: "€ 9,99".isolated + " " + texts.rhythm(.oneMonth),
        note: texts[.planNow], submitLabel: texts[.planChange], shownPrice: "999 EUR", order: "1")
    ]
    unpaid.methodChoice = .init(
      options: [PageOption(value: "1", label: texts(.cardNote, ["brand": "Mastercard", "digits": "4444"]))],
      submitLabel: texts(.methodPay, words), shownPrice: "999 EUR")
    unpaid.stopLabel = texts[.subscriptionEndNow]
    let back = backToApp(texts)
    var inApp = ending
    inApp.back = back
    return [
      ("subscription", active), ("subscription-planned", planned), ("subscription-asked", asked),
      ("subscription-asked-optionally", askedOptionally),
      ("subscription-paused", paused),
      ("subscription-ending", ending), ("subscription-unpaid", unpaid), ("subscription-in-app", inApp),
      ("subscriptions", SubscriptionListPage(subscriptions: subscriptions(texts), back: back)),
      ("subscriptions-none", SubscriptionListPage(subscriptions: [], back: back)),
      ("subscription-ended", ended(texts)),
    ]
  }
}
