import Foundation
import OnsideAPI
import OnsideCommerce
import StoreAccounts
import StoreBase
import StorePayments
import StoreWeb

/// A subscription in words, for the account page and the page of its own.
struct SubscriptionView {
  let current: CurrentSubscription
  let texts: Texts

  init(_ current: CurrentSubscription, texts: Texts) { (self.current, self.texts) = (current, texts) }

  private var machine: SubscriptionMachine { current.subscription.machine }
  private var order: Order { current.lastOrder }
  private var end: String { day(machine.period?.end) }
  /// The region whose price is charged next.
  private var nextCountry: CountryCode { current.nextCountry ?? order.country }
  private var nextPrice: String { machine.nextPrice.map { text($0, in: nextCountry) } ?? "" }
  /// Whether the next payment is under way, and takes nothing away.
  private var isBeingPaid: Bool { machine.isBeingPaidLate && machine.stage != .grace }

  /// The words for a price that is to change.
  private var priceWords: [String: String] {
    let old = machine.period.map { text($0.plan.price, in: order.country) } ?? ""
    let new = machine.isAskedAboutPrice ? machine.pendingPrice.map { text($0, in: nextCountry) } : nil
    return ["price": new ?? nextPrice, "old": old, "date": day(machine.nextPeriodStart)]
  }

  /// The question about a price that needs consent.
  private var priceQuestion: String {
    texts(machine.keepsPriceWithoutConsent ? .priceAskOptional : .priceAsk, priceWords)
  }

  private func day(_ date: Date?) -> String { date.map { texts.day($0, in: order.country).isolated } ?? "" }

  private func text(_ money: Money, in country: CountryCode) -> String {
    money.formatted(country: country, language: texts.language.rawValue).isolated
  }

  /// The word for its state, and its colour.
  var state: (text: String, style: String) {
    if isBeingPaid { return (texts[.stateProcessing], "") }
    switch machine.stage {
    case .active where machine.autoRenews: return (texts[.stateActive], "good")
    case .active: return (texts[.stateEnding], "plain")
    case .paused: return (texts[.statePaused], "plain")
    case .expired: return (texts[.stateEnded], "plain")
    default: return (texts[current.isDisputed ? .stateDisputed : .stateUnpaid], "")
    }
  }

  /// The choice of another payment method; nil without a saved one, unless the subscription needs one.
  ///
  /// - Parameter options: the saved methods that can be charged, but for the present one.
  func methodChoice(_ options: [PageOption]) -> SubscriptionPage.MethodChoice? {
    let isNeeded = machine.isUnpaid || current.subscription.method == nil || current.needsOwnMethod
    guard let price = machine.nextPrice, isNeeded || !options.isEmpty else { return nil }
    let label =
      machine.isBeingRenewed && machine.autoRenews ? texts(.methodPay, ["price": nextPrice]) : texts[.methodSubmit]
    return SubscriptionPage.MethodChoice(options: options, submitLabel: label, shownPrice: price.plainText)
  }

  /// The charge that another payment method makes at once; nil while nothing is unpaid.
  var paysAtOnce: String? {
    machine.isBeingRenewed && machine.autoRenews ? texts(.methodRemovePays, ["price": nextPrice]) : nil
  }

  /// What happens next, or what is wrong.
  var lead: String {
    if isBeingPaid { return texts(.subscriptionPaying, ["price": nextPrice]) }
    if machine.awaitsConsent, machine.autoRenews { return priceQuestion }
    switch machine.stage {
    case .grace where current.isDisputed, .retry where current.isDisputed: return texts[.subscriptionDisputed]
    case .grace: return texts(.subscriptionGrace, ["date": day(machine.entitledUntil)])
    case .retry: return texts[.subscriptionRetry]
    case .paused(let until): return texts(.pauseRuns, ["date": day(until), "price": nextPrice])
    case .expired: return texts(.subscriptionEnded, ["date": end])
    default: break
    }
    guard machine.autoRenews else { return texts(.subscriptionEnds, ["date": end]) }
    if let until = machine.plannedPauseEnd {
      return texts(.pausePlanned, ["start": end, "date": day(until), "price": nextPrice])
    }
    guard let next = current.nextProduct else {
      return texts(.subscriptionRenews, ["price": nextPrice, "date": end])
    }
    return texts(.planChanges, ["plan": next.title.isolated, "date": end, "price": nextPrice])
  }

  /// The page of its own.
  ///
  /// - Parameters:
  ///   - payAddress: of the page of its unpaid next period.
  ///   - receipt: of its last payment; nil when that cost nothing.
  func page(payAddress: String?, receipt: String?) -> SubscriptionPage {
    let (state, key) = (state, current.subscription.key)
    var page = SubscriptionPage(
      heading: order.product.message.title, description: order.product.message.description, state: state.text,
      stateClass: state.style, lead: lead, facts: facts(receipt: receipt), payAddress: payAddress, app: key.app,
      group: key.group)
    page.planned = planned
    guard machine.isSubscribed else {
      page.plansTitle = texts[.winBackTitle]
      return page
    }
    page.plansTitle = texts[.planTitle]
    // What was chosen stands beside the button that takes it back.
    if !page.planned.isEmpty, machine.stage == .active { page.lead = texts(.subscriptionPaid, ["date": end]) }
    if machine.isAskedAboutPrice, machine.autoRenews, let price = machine.pendingPrice {
      page.question = .init(
        text: priceQuestion, agreeLabel: texts(.priceAgree, priceWords), shownPrice: price.plainText)
      if machine.stage == .active { page.lead = texts(.subscriptionPaid, ["date": end]) }
    } else if let price = machine.pendingPrice, price != machine.period?.plan.price, machine.autoRenews,
      machine.nextPlan == nil, machine.nextPrice == price
    {
      page.priceNote = texts(.priceTold, priceWords)
    }
    if let next = current.nextProduct, machine.isUnpaid, machine.stage != .active {
      page.priceNote = texts(.planUnpaid, ["plan": next.title.isolated, "price": nextPrice])
    }
    if machine.stage == .active, machine.autoRenews, machine.plannedPauseEnd == nil, !machine.isBeingRenewed,
      !machine.awaitsConsent
    {
      page.pause = texts(.pauseLead, ["date": end, "price": nextPrice])
      page.pauseLengths = SubscriptionService.pauseLengths.map {
        PageOption(value: String($0), label: texts.length(.oneMonth, times: $0))
      }
    }
    let next = machine.nextPrice
    if case .paused = machine.stage, let next, !machine.awaitsConsent, current.subscription.method != nil {
      page.resumption = .init(
        text: texts[.pauseEndLead], label: texts(.pauseEnd, ["price": nextPrice]), shownPrice: next.plainText)
    }
    if machine.autoRenews {
      page.stopLabel =
        texts[machine.stage == .active || machine.stage == .due ? .subscriptionStop : .subscriptionEndNow]
    } else if let next, current.subscription.canRenew {
      page.renewal = .init(
        text: texts(.subscriptionRenews, ["price": nextPrice, "date": end]), label: texts[.subscriptionResume],
        shownPrice: next.plainText)
    }
    return page
  }

  private func facts(receipt: String?) -> [SubscriptionPage.Fact] {
    var facts: [SubscriptionPage.Fact] = []
    if let period = machine.period {
      let rhythm = texts.rhythm(period.plan.period)
      let regular = machine.nextOffer?.plan.price ?? period.plan.price
      facts.append(.init(label: texts[.planPrice], value: "\(text(regular, in: order.country)) \(rhythm)"))
      facts.append(.init(label: texts[.planPaidUntil], value: texts.day(period.end, in: order.country)))
    }
    if let receipt {
      facts.append(.init(label: texts[.planLastPayment], value: texts[.accountReceipt], address: receipt))
    }
    return facts
  }

  /// The plan and the pause that were chosen for the end of the period and can be taken back.
  private var planned: [SubscriptionPage.Planned] {
    var planned: [SubscriptionPage.Planned] = []
    if let next = current.nextProduct, let present = machine.period?.plan.productID, machine.stage == .active {
      let words = ["plan": next.title.isolated, "date": end, "price": nextPrice]
      let keep = texts(.planKeep, ["plan": order.product.message.title.isolated])
      planned.append(.init(text: texts(.planChanges, words), label: keep, field: "plan", value: present))
    }
    if machine.stage == .active, let until = machine.plannedPauseEnd {
      let words = ["start": end, "date": day(until), "price": nextPrice]
      planned.append(
        .init(text: texts(.pausePlanned, words), label: texts[.pauseDrop], field: "pause", value: "0"))
    }
    return planned
  }

  /// A plan at the price of an offer, for an account whose subscription is over.
  func plan(returning quote: Quote, in country: CountryCode, order id: UUID) -> SubscriptionPage.Plan? {
    let product = quote.product.message
    guard let offer = product.offers.first else { return nil }
    return SubscriptionPage.Plan(
      id: product.id, title: product.title, price: texts.describe(offer, of: product, renews: true),
      note: texts[.planNow],
      submitLabel: texts.startTrial(offer) ?? texts(.winBackTake, ["price": quote.priceText.isolated]),
      shownPrice: quote.price.plainText, order: id.lowercase, offer: offer.id)
  }

  /// Another plan of the group; nil for the one that is chosen already.
  ///
  /// - Parameters:
  ///   - country: the region of its price.
  ///   - id: of the order that its button makes when it starts at once.
  func plan(_ plan: OfferedPlan, in country: CountryCode, order id: UUID) -> SubscriptionPage.Plan? {
    guard plan.product.id != current.nextProduct?.id else { return nil }
    let price = plan.product.price.formatted.isolated
    let rhythm = plan.product.subscriptionPeriod.map { texts.rhythm($0) } ?? ""
    let note: String
    if let replaces = plan.replaces, !replaces.givesBack.isZero {
      note = texts(.planNowBack, ["amount": text(replaces.givesBack, in: replaces.country)])
    } else {
      note = plan.start == .atOnce ? texts[.planNow] : texts(.planLater, ["date": end])
    }
    return SubscriptionPage.Plan(
      id: plan.product.id, title: plan.product.title, price: "\(price) \(rhythm)", note: note,
      submitLabel: texts[plan.start == .atOnce ? .planChange : .planChoose],
      shownPrice: plan.product.price.money.plainText, order: id.lowercase)
  }
}
