import Foundation
import OnsideCommerce
import Testing

@testable import OnsideStore
@testable import StoreAccounts
@testable import StoreSales

/// When people are told of what comes.
@Suite("Moments of messages about subscriptions")
struct SubscriptionNoticeTests {
  private static let start = Date(timeIntervalSince1970: 1_767_225_600)

  /// A subscription that has begun with an offer, or without one.
  private static func begun(
    _ period: Period, price: Int64 = 999, offer: AcceptedOffer? = nil
  ) throws -> SubscriptionMachine {
    let plan = SubscriptionPlan(productID: "plan", level: 1, period: period, price: try TestShop.money(price))
    var machine = SubscriptionMachine(terms: .store)
    _ = machine.handle(.purchased(plan, offer: offer), at: start)
    return machine
  }

  private static func trial(_ unit: Period.Unit, _ count: Int) throws -> AcceptedOffer {
    AcceptedOffer(
      kind: .introductory, mode: .freeTrial, period: try #require(Period(unit: unit, count: count)), periodCount: 1,
      price: try TestShop.money(0))
  }

  @Test(
    "SUB-9: a trial is told of 7 days before its end, of a week 3 days, of less at its beginning",
    arguments: [(30, 7.0), (14, 7), (8, 7), (7, 3), (4, 3), (3, 3), (1, 1)])
  func trials(days: Int, before: Double) throws {
    let machine = try Self.begun(.oneMonth, offer: try Self.trial(.day, days))
    let end = try #require(machine.period?.end)
    #expect(machine.noticesAhead == [.init(kind: .offerEnds, date: end, due: end - before * 86_400)])
  }

  @Test(
    "SUB-9: renewals of six months and longer are told of, thirty days before",
    arguments: [(1, false), (3, false), (6, true), (12, true)])
  func periods(months: Int, isTold: Bool) throws {
    let machine = try Self.begun(try #require(Period(unit: .month, count: months)))
    let end = try #require(machine.period?.end)
    #expect(machine.noticesAhead == (isTold ? [.init(kind: .renewal, date: end, due: end - 30 * 86_400)] : []))
  }

  @Test("SUB-9: a trial of a year is told of both ways; what costs nothing, and an offer that goes on, is not told of")
  func others() throws {
    let long = try Self.begun(.oneMonth, offer: try Self.trial(.year, 1))
    #expect(long.noticesAhead.map(\.kind) == [.offerEnds, .renewal])
    let noticesAhead = try Self.begun(.oneMonth, price: 0, offer: try Self.trial(.day, 3)).noticesAhead
    #expect(noticesAhead == [])
    let monthly = AcceptedOffer(
      kind: .introductory, mode: .payAsYouGo, period: .oneMonth, periodCount: 2, price: try TestShop.money(99))
    let secondNoticesAhead = try Self.begun(.oneMonth, offer: monthly).noticesAhead
    #expect(secondNoticesAhead == [])
  }

  @Test("SUB-24: an offer that is accepted in a trial is told of as a renewal: its price is not the regular one")
  func acceptedInTrial() throws {
    var machine = try Self.begun(.oneMonth, offer: try Self.trial(.day, 30))
    let code = AcceptedOffer(
      kind: .code, mode: .payUpFront, period: .oneMonth, periodCount: 3, price: try TestShop.money(299))
    let plan = try #require(machine.period?.plan)
    _ = machine.handle(.offerAccepted(code, of: plan), at: Self.start)
    #expect(machine.noticesAhead.map(\.kind) == [.renewal])
  }

  @Test("SUB-9: who was told of one plan's price is told of another one's; what was dropped is told anew")
  func otherPrice() throws {
    let machine = try Self.begun(.oneMonth, price: 1999, offer: try Self.trial(.day, 30))
    let notice = try #require(machine.noticesAhead.first)
    var told = ToldNotices()
    told.insert(notice, of: machine)
    #expect(told.contains(notice, of: machine))
    var cheaper = machine
    let price = try TestShop.money(499)
    let plan = SubscriptionPlan(productID: "basic", level: 2, period: .oneMonth, price: price)
    _ = cheaper.handle(.planChosen(plan), at: Self.start + 60)
    #expect(cheaper.nextPrice == price)
    #expect(!told.contains(notice, of: cheaper))
    let message = SubscriberMessage(
      id: "m", key: SubscriptionKey(account: "a", app: "b", group: "c"), notice: notice, product: "plan",
      price: try TestShop.money(1999), createdAt: Self.start)
    told.remove(message)
    #expect(!told.contains(notice, of: machine))
  }

  @Test("SUB-9: nothing is told of a renewal that is off, or that is being charged")
  func off() throws {
    var machine = try Self.begun(.oneMonth, offer: try Self.trial(.day, 30))
    var charged = machine
    _ = charged.handle(.clock, at: try #require(machine.period?.end) - 60)
    #expect(charged.noticesAhead == [])
    _ = machine.handle(.autoRenewSwitched(on: false), at: Self.start)
    #expect(machine.noticesAhead == [])
  }
}
