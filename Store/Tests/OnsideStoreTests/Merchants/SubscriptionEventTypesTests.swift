import Foundation
import OnsideCommerce
import Testing

@testable import StoreSales

@Suite("Types of a subscription's events", .timeLimit(.minutes(5)))
struct SubscriptionEventTypesTests {
  typealias Life = SubscriptionLife

  /// One transaction of a life, and its events.
  struct Case: Sendable, CustomTestStringConvertible {
    let testDescription: String
    let earlier: [Life.Step]
    let transaction: [Life.Step]
    let expected: [String]
    var isReinstated = false

    init(
      _ name: String, after earlier: [Life.Step], _ transaction: [Life.Step], isReinstated: Bool = false,
      _ expected: [String]
    ) {
      (testDescription, self.earlier, self.transaction) = (name, earlier, transaction)
      (self.isReinstated, self.expected) = (isReinstated, expected)
    }
  }

  // Paid to 10 February, and charged an hour before.
  private static let paid: [Life.Step] = [.buy(Life.basic)]
  private static let charged = paid.then(.clock("02-09T23:00"))
  private static let paidAhead = charged.then(.pay)
  private static let due = charged.then(.clock("02-10T00:00"))
  private static let grace = due.then(.decline)
  private static let retry = grace.then(.clock("02-26T00:00"))
  private static let off = paid.then(.tell(.autoRenewSwitched(on: false)))
  private static let over = off.then(.clock("02-10T00:00"))
  private static let chosen = paid.then(.tell(.planChosen(Life.small)))
  private static let asked = paid.then(.tell(.priceChanged(to: Life.euros(1599), needsConsent: true)))
  private static let askedKeepingPrice =
    paid.then(.tell(.priceChanged(to: Life.euros(1599), needsConsent: true, keepsPrice: true)))
  private static let pausing = paid.then(.tell(.pauseRequested(until: Life.moment("04-10T00:00"))))
  private static let paused = pausing.then(.clock("02-10T00:00"))
  private static let resumed = paused.then(.clock("04-10T00:00"))
  private static let revoked = paid.then(.tell(.refunded(period: 1, .refund)))
  private static let gift = SubscriptionEvent.granted(Life.basic, until: Life.moment("02-10T00:00"))

  static let starts: [Case] = [
    Case("a first purchase", after: [], paid, ["started PURCHASE"]),
    Case("a free trial", after: [], [.buy(Life.basic, Life.trial)], ["started TRIAL"]),
    Case("an introductory price", after: [], [.buy(Life.basic, Life.half)], ["started OFFER"]),
    Case("a grant", after: [], [.tell(gift)], ["started GRANT"]),
    Case("a purchase without renewal", after: [], off, ["started PURCHASE"]),
    Case("a purchase after the expiry", after: over, paid, ["started RESUBSCRIPTION"]),
    Case(
      "an expiry and a purchase in one transaction", after: off.then(.sleep("02-11T00:00")),
      [.clock("02-11T00:00"), .buy(Life.basic)], ["expired CANCELLED", "started RESUBSCRIPTION"]),
    Case("a purchase after a refund", after: revoked, paid, ["started RESUBSCRIPTION"]),
    Case("a grant after a refund", after: revoked, [.tell(gift)], ["started GRANT"]),
    Case("a grant that replaces the refunded order", after: revoked, [.tell(gift)], isReinstated: true, ["reinstated"]),
  ]

  static let renewals: [Case] = [
    Case("a charge without an answer", after: paid, [.clock("02-09T23:00")], []),
    Case("a paid charge", after: charged, [.pay], ["renewed"]),
    Case("the start of a period that is paid", after: paidAhead, [.clock("02-10T00:00")], []),
    Case("the end of a period that is being paid", after: charged, [.clock("02-10T00:00")], []),
    Case("a payment after the end", after: due, [.pay], ["renewed"]),
    Case(
      "the renewal is switched off during the charge", after: charged.then(.tell(.autoRenewSwitched(on: false))),
      [.pay], ["renewed"]),
    Case(
      "the first payment after a trial", after: [.buy(Life.basic, Life.trial), .clock("01-16T23:00")], [.pay],
      ["renewed TRIAL_ENDED"]),
    Case(
      "the first regular price after an offer", after: [.buy(Life.basic, Life.half), .clock("02-09T23:00")], [.pay],
      ["renewed OFFER_ENDED"]),
  ]

  static let declines: [Case] = [
    Case("a decline before the end", after: charged, [.decline], []),
    Case("the end after a decline", after: charged.then(.decline), [.clock("02-10T00:00")], ["grace_began"]),
    Case("a decline after the end", after: due, [.decline], ["grace_began"]),
    Case("no method", after: due, [.lackMethod], ["retry_began"]),
    Case("no answer", after: due, [.clock("02-26T00:00")], ["retry_began NO_ANSWER"]),
    Case("a store that slept", after: paid, [.clock("03-20T00:00")], ["retry_began NO_ANSWER"]),
    Case("another decline", after: grace.then(.clock("02-13T00:00")), [.decline], []),
    Case("a payment in the grace period", after: grace.then(.clock("02-13T00:00")), [.pay], ["recovered"]),
    Case("a purchase in the grace period", after: grace, [.buy(Life.basic)], ["recovered"]),
    Case(
      "another plan in the grace period", after: grace, [.buy(Life.yearly)], ["recovered", "plan_changed CROSSGRADE"]),
    Case("the end of the grace period", after: grace, [.clock("02-26T00:00")], ["retry_began GRACE_ENDED"]),
    Case("a payment after the grace period", after: retry, [.pay], ["recovered"]),
    Case("60 days unpaid", after: retry, [.clock("04-11T00:00")], ["expired BILLING_ERROR"]),
    Case("switched off while unpaid", after: retry, [.tell(.autoRenewSwitched(on: false))], ["expired CANCELLED"]),
  ]

  static let choices: [Case] = [
    Case("no change", after: paid, [.clock("01-20T00:00")], []),
    Case("the renewal is switched off", after: paid, [.tell(.autoRenewSwitched(on: false))], ["renewal_switched_off"]),
    Case("the renewal is switched on", after: off, [.tell(.autoRenewSwitched(on: true))], ["renewal_switched_on"]),
    Case("the end without renewal", after: off, [.clock("02-10T00:00")], ["expired CANCELLED"]),
    Case("a lower plan is chosen", after: paid, [.tell(.planChosen(Life.small))], ["plan_change_planned DOWNGRADE"]),
    Case(
      "another length is chosen", after: paid, [.tell(.planChosen(Life.yearly))], ["plan_change_planned CROSSGRADE"]),
    Case("the choice is withdrawn", after: chosen, [.tell(.planChosen(Life.basic))], ["plan_change_planned WITHDRAWN"]),
    Case(
      "the renewal is switched off after a choice", after: chosen, [.tell(.autoRenewSwitched(on: false))],
      ["plan_change_planned WITHDRAWN", "renewal_switched_off"]),
    Case(
      "a choice switches the renewal on", after: off, [.tell(.planChosen(Life.small))],
      ["plan_change_planned DOWNGRADE", "renewal_switched_on"]),
    Case(
      "that choice is withdrawn", after: off.then(.tell(.planChosen(Life.small))), [.tell(.planChosen(Life.basic))],
      ["plan_change_planned WITHDRAWN", "renewal_switched_off"]),
    Case(
      "the chosen plan is paid", after: chosen.then(.clock("02-09T23:00")), [.pay],
      ["renewed", "plan_changed DOWNGRADE"]),
    Case(
      "a higher plan is bought", after: paid.then(.sleep("01-20T00:00")), [.buy(Life.pro)], ["plan_changed UPGRADE"]),
    Case("a plan of the same level is bought", after: paid, [.buy(Life.other)], ["plan_changed CROSSGRADE"]),
    Case(
      "a higher plan is bought without renewal", after: off.then(.sleep("01-20T00:00")), [.buy(Life.pro)],
      ["plan_changed UPGRADE", "renewal_switched_on"]),
    Case(
      "an offer is accepted", after: paid, [.tell(.offerAccepted(Life.code, of: Life.basic))],
      ["plan_change_planned OFFER"]),
  ]

  static let prices: [Case] = [
    Case(
      "a price without a question", after: paid, [.tell(.priceChanged(to: Life.euros(1099), needsConsent: false))], []),
    Case(
      "a question", after: paid, [.tell(.priceChanged(to: Life.euros(1599), needsConsent: true))],
      ["price_consent_asked"]),
    Case(
      "a question about another price", after: asked, [.tell(.priceChanged(to: Life.euros(1699), needsConsent: true))],
      ["price_consent_asked"]),
    Case(
      "an agreement", after: asked, [.tell(.priceAnswered(accepted: true))], ["price_consent_answered ACCEPTED"]),
    Case(
      "a refusal", after: asked, [.tell(.priceAnswered(accepted: false))],
      ["price_consent_answered DECLINED", "renewal_switched_off PRICE_NOT_ACCEPTED"]),
    Case(
      "a refusal that keeps the price", after: askedKeepingPrice, [.tell(.priceAnswered(accepted: false))],
      ["price_consent_answered DECLINED"]),
    Case(
      "a charge at the price before", after: askedKeepingPrice, [.clock("02-09T23:00")],
      ["price_consent_answered UNANSWERED"]),
    Case(
      "a withdrawn question", after: asked, [.tell(.priceChanged(to: Life.euros(999), needsConsent: false))],
      ["price_consent_answered WITHDRAWN"]),
    Case("no answer", after: asked, [.clock("02-10T00:00")], ["expired PRICE_NOT_ACCEPTED"]),
    Case(
      "the renewal is switched off during a question", after: asked, [.tell(.autoRenewSwitched(on: false))],
      ["renewal_switched_off"]),
  ]

  static let pauses: [Case] = [
    Case(
      "a pause is planned", after: paid, [.tell(.pauseRequested(until: Life.moment("04-10T00:00")))],
      ["pause_planned"]),
    Case("a planned pause is withdrawn", after: pausing, [.tell(.resumed)], ["pause_planned WITHDRAWN"]),
    Case(
      "the renewal is switched off before a pause", after: pausing, [.tell(.autoRenewSwitched(on: false))],
      ["pause_planned WITHDRAWN", "renewal_switched_off"]),
    Case("a pause begins", after: pausing, [.clock("02-10T00:00")], ["paused"]),
    Case("a pause ends by itself", after: paused, [.clock("04-10T00:00")], ["resumed"]),
    Case("a pause ends by hand", after: paused.then(.sleep("03-01T00:00")), [.tell(.resumed)], ["resumed"]),
    Case("the charge after a pause is paid", after: resumed, [.pay], ["renewed"]),
    Case("the charge after a pause is declined", after: resumed, [.decline], ["retry_began"]),
    Case("the next charge is paid", after: resumed.then(.decline, .clock("04-13T00:00")), [.pay], ["recovered"]),
    Case(
      "a pause ends without a method", after: paused, [.clock("04-10T00:00"), .lackMethod], ["resumed", "retry_began"]),
    Case("the plan is bought in a pause", after: paused, [.buy(Life.basic)], ["resumed", "renewed"]),
    Case("another plan is bought in a pause", after: paused, [.buy(Life.pro)], ["resumed", "plan_changed UPGRADE"]),
    Case(
      "the renewal is switched off in a pause", after: paused, [.tell(.autoRenewSwitched(on: false))],
      ["expired CANCELLED"]),
  ]

  static let acts: [Case] = [
    Case("an extension", after: paid, [.tell(.extended(to: Life.moment("02-17T00:00")))], ["extended"]),
    Case(
      "an extension before a pause", after: pausing, [.tell(.extended(to: Life.moment("02-17T00:00")))],
      ["extended", "pause_planned"]),
    Case("a refund", after: paid, [.tell(.refunded(period: 1, .refund))], ["revoked REFUND"]),
    Case("a lost dispute", after: grace, [.tell(.refunded(period: 1, .chargeback))], ["revoked CHARGEBACK"]),
    Case(
      "a refund of an earlier period", after: paidAhead.then(.clock("02-20T00:00")),
      [.tell(.refunded(period: 1, .refund))], []),
    Case(
      "a refund of the next period", after: paidAhead, [.tell(.refunded(period: 2, .refund))],
      ["renewal_switched_off REFUND"]),
    Case(
      "a refund of the next period without renewal", after: paidAhead.then(.tell(.autoRenewSwitched(on: false))),
      [.tell(.refunded(period: 2, .refund))], ["renewal_switched_off REFUND"]),
    Case("a refund of both periods", after: paidAhead, [.tell(.refunded(period: 1, .refund))], ["revoked REFUND"]),
    Case("stopped within the period", after: paid.then(.sleep("01-20T00:00")), [.tell(.stopped)], ["expired STOPPED"]),
    Case("stopped while unpaid", after: grace, [.tell(.stopped)], ["expired CANCELLED"]),
  ]

  @Test(
    "MER-4: a transaction has the events of the difference that it makes",
    arguments: [starts, renewals, declines, choices, prices, pauses, acts].flatMap(\.self))
  func types(_ example: Case) {
    var life = SubscriptionLife()
    life.take(example.earlier)
    let before = example.earlier.isEmpty ? nil : life.machine
    life.take(example.transaction)
    let notes = SubscriptionEventTypes.notes(
      from: before, to: life.machine, isReinstated: example.isReinstated, at: life.now)
    #expect(notes.map(\.text) == example.expected)
  }
}
