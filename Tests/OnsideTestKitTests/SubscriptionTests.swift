import Foundation
import OnsideCommerce
import OnsideKit
import OnsideTestKit
import Testing

@MainActor
@Suite("Subscriptions in a test session", .timeLimit(.minutes(5)))
struct SubscriptionTests {
  private let session = OnsideTestSession(
    selling: .subscription("basic", price: "9.99", level: 2), .subscription("pro", price: "19.99"),
    .subscription("short", price: "1.99", group: "other", graceDays: 3), .consumable("coins"))

  private func bought(_ product: String) async throws -> (TestDevice, LocalSubscription) {
    let phone = session.device()
    phone.launch()
    try await phone.buy(product)
    return (phone, session.subscription(product))
  }

  private func active(_ phone: TestDevice) async throws -> [String] {
    try await phone.run { await Onside.entitlements.filter(\.isActive).map(\.productIdentifier) }
  }

  private func status(_ phone: TestDevice, _ group: String = "group") async throws -> OnsideSubscriptionStatus {
    try await phone.run { try await Onside.subscriptionStatus(group: group) }
  }

  // MARK: Renewals

  @Test("ENT-5: a subscription is active all along its renewal, which is charged an hour before")
  func renewal() async throws {
    let (phone, pro) = try await bought("pro")
    let end = TimeSpan.months(1).after(session.now)
    for moment in [end - 3601, end - 3599, end - 1, end, end + 1] {
      try await session.advance(to: moment)
      let activeProducts = try await active(phone)
      #expect(activeProducts == ["pro"])
      #expect(pro.transactions.count == (moment < end - 3600 ? 1 : 2))
    }
    let expirationDate = try await status(phone).expirationDate
    #expect(expirationDate == TimeSpan.months(1).after(end))
  }

  @Test("LOC-7: an end reaches the app by the time at which the session has settled")
  func expired() async throws {
    let (phone, pro) = try await bought("pro")
    let activeProducts = try await active(phone)
    #expect(activeProducts == ["pro"])
    try pro.renew()
    try await session.settle()
    let secondActiveProducts = try await active(phone)
    #expect(secondActiveProducts == ["pro"])
    try pro.expire()
    try await session.settle()
    #expect(try await active(phone).isEmpty)
    let state = try await status(phone).state
    #expect(state == .expired)
    let expirationDate = try await status(phone).expirationDate
    #expect(expirationDate == session.now)
  }

  @Test("SUB-3: switched off it goes on to its end, and is not charged; switched on again it renews")
  func switched() async throws {
    let (phone, pro) = try await bought("pro")
    try pro.switchOffRenewal()
    let willAutoRenew = try await status(phone).willAutoRenew
    #expect(willAutoRenew == false)
    #expect(throws: LocalSubscriptionError.self) { try pro.renew() }
    try pro.switchOnRenewal()
    try await session.advance(by: .months(1))
    #expect(pro.transactions.count == 2)
    try pro.switchOffRenewal()
    try await session.advance(by: .months(1))
    #expect(pro.state == .expired && pro.transactions.count == 2)
    #expect(try await active(phone).isEmpty)
  }

  @Test("SUB-4: a refund of the last period revokes the subscription, and the app is told")
  func refund() async throws {
    let phone = session.device()
    let app = phone.launch()
    try await phone.buy("pro")
    try session.subscription("pro").refund()
    try await session.settle()
    #expect(app.revoked.map(\.payment.product.productIdentifier) == ["pro"])
    #expect(session.subscription("pro").state == .revoked)
    let state = try await status(phone).state
    #expect(state == .revoked)
    #expect(try await active(phone).isEmpty)
  }

  // MARK: Billing

  @Test("SUB-2: a declined card leads to the grace period; fixed within it, the date stays")
  func grace() async throws {
    session.billingGracePeriodIsEnabled = true
    let (phone, pro) = try await bought("pro")
    let end = TimeSpan.months(1).after(session.now)
    try pro.fail(.cardDeclined)
    try await session.advance(to: end - 1800)
    #expect(pro.state == .subscribed)
    try await session.advance(to: end + 15 * 86_400)
    #expect(pro.state == .inGracePeriod && pro.isEntitled)
    let activeProducts = try await active(phone)
    #expect(activeProducts == ["pro"])
    let gracePeriodExpirationDate = try await status(phone).gracePeriodExpirationDate
    #expect(gracePeriodExpirationDate == end + 16 * 86_400)
    try pro.fixBilling()
    try await session.settle()
    let expirationDate = try await status(phone).expirationDate
    #expect(expirationDate == TimeSpan.months(1).after(end))
    try await session.expect("pro", .finished, times: 2)
  }

  @Test("SUB-2: after the grace period access ends; money that comes then begins a new date")
  func retry() async throws {
    session.billingGracePeriodIsEnabled = true
    let (phone, pro) = try await bought("pro")
    try pro.fail()
    try await session.advance(by: .months(1))
    try await session.advance(by: .days(18))
    #expect(pro.state == .inBillingRetryPeriod)
    #expect(try await active(phone).isEmpty)
    try pro.fixBilling()
    try await session.settle()
    let expirationDate = try await status(phone).expirationDate
    #expect(expirationDate == TimeSpan.months(1).after(session.now))
    let activeProducts = try await active(phone)
    #expect(activeProducts == ["pro"])
  }

  @Test("SUB-2: a card that is declined once is tried again after three days; a lost one is not")
  func tries() async throws {
    let (_, pro) = try await bought("pro")
    let start = session.now
    try pro.fail(.cardDeclined, times: 1)
    try await session.advance(by: .months(1))
    #expect(pro.state == .inBillingRetryPeriod)
    try await session.advance(by: .days(3))
    #expect(pro.state == .subscribed)
    for issue in [LocalBillingIssue.cardLost, .authenticationRequired] {
      try pro.fail(issue, times: 1)
      try await session.advance(by: .days(40))
      #expect(pro.state == .inBillingRetryPeriod)
      try pro.fixBilling()
      #expect(pro.state == .subscribed)
    }
    try pro.fail()
    try await session.advance(by: .days(31 + 61))
    #expect(pro.state == .expired && session.now > start)
  }

  @Test("SUB-2: a product has a grace period of its own, also where the session grants none")
  func graceDays() async throws {
    let (phone, short) = try await bought("short")
    try short.fail()
    try await session.advance(by: .months(1))
    try await session.advance(by: .days(2))
    #expect(short.state == .inGracePeriod)
    try await session.advance(by: .days(1))
    #expect(short.state == .inBillingRetryPeriod)
    #expect(try await active(phone).isEmpty)
  }

  @Test("A refused renewal on demand shows at once")
  func renewRefused() async throws {
    session.billingGracePeriodIsEnabled = true
    let (_, pro) = try await bought("pro")
    try pro.fail(times: 1)
    try pro.renew()
    #expect(pro.state == .inGracePeriod)
    try pro.renew()
    #expect(pro.state == .subscribed && pro.transactions.count == 2)
  }

  // MARK: Prices

  @Test("SUB-8: a price that needs consent is charged to those only who have agreed", arguments: [true, false, nil])
  func priceRise(answer: Bool?) async throws {
    let (phone, basic) = try await bought("basic")
    #expect(try basic.raisePrice(to: "15.99"))
    #expect(basic.awaitsConsent)
    let decimalValue = try await phone.product("basic").price.decimalValue
    #expect(decimalValue == Decimal(string: "15.99"))
    switch answer {
    case true?: try basic.consentToPriceRise()
    case false?: try basic.declinePriceRise()
    case nil: break
    }
    let willAutoRenew = try await status(phone).willAutoRenew
    #expect(willAutoRenew == (answer != false))
    try await session.advance(by: .months(1))
    #expect(basic.state == (answer == true ? .subscribed : .expired))
    #expect(basic.transactions.map(\.price.minorUnits) == (answer == true ? [999, 1599] : [999]))
    let reason = session.transactions(of: "basic").first?.steps.first { $0.kind == .expired }?.detail
    #expect(reason == (answer == true ? nil : "PRICE_NOT_ACCEPTED"))
  }

  @Test("SUB-8: who switches the renewal off and on again agrees to the price that is asked about")
  func switchedOnAgain() async throws {
    let (_, basic) = try await bought("basic")
    #expect(try basic.raisePrice(to: "15.99"))
    try basic.switchOffRenewal()
    try basic.switchOnRenewal()
    try await session.advance(by: .months(1))
    #expect(basic.transactions.map(\.price.minorUnits) == [999, 1599])
  }

  @Test("SUB-8: a small rise needs no consent, the second one within a year does; a lower price never does")
  func smallRises() async throws {
    let (_, basic) = try await bought("basic")
    #expect(try !basic.raisePrice(to: "10.99"))
    try await session.advance(by: .months(1))
    #expect(try !basic.raisePrice(to: "8.99"))
    #expect(try basic.raisePrice(to: "11.99"))
    #expect(try !basic.raisePrice(to: "11.99", needsConsent: false))
    try await session.advance(by: .months(1))
    #expect(basic.transactions.map(\.price.minorUnits) == [999, 1099, 1199])
  }

  // MARK: Plans and pauses

  @Test("SUB-5: a higher plan starts at once, and the unused part of the one before goes back")
  func upgrade() async throws {
    let (phone, basic) = try await bought("basic")
    let activeProducts = try await active(phone)
    #expect(activeProducts == ["basic"])
    let length = TimeSpan.months(1).after(session.now).timeIntervalSince(session.now)
    try await session.advance(by: .days(10))
    try basic.change(to: "pro")
    try await session.settle()
    let secondActiveProducts = try await active(phone)
    #expect(secondActiveProducts == ["pro"])
    let (old, new) = try (#require(session.store.transactions().first), #require(session.store.transactions().last))
    #expect(old.expirationDate == session.now)
    #expect(old.givenBack?.minorUnits == Int64(999 * (length - 864_000) / length))
    #expect(new.expirationDate == TimeSpan.months(1).after(session.now) && new.givenBack == nil)
    #expect(old.reason == .purchase && new.reason == .planChange)
    #expect(session.transactions(of: "pro").map(\.reason) == [.planChange])
    #expect(session.transactions(of: "basic").first?.steps.contains { $0.kind == .givenBack } == true)
    #expect(basic.state == nil && session.subscription("group").state == .subscribed)
    #expect(throws: LocalSubscriptionError.self) { try basic.renew() }
  }

  @Test("SUB-6: a lower plan starts with the next renewal; an order for it is refused, and the present plan is kept")
  func downgrade() async throws {
    let (phone, pro) = try await bought("pro")
    try await phone.buy("basic")
    try await session.expect("basic", .failed)
    try pro.change(to: "basic")
    let nextProductIdentifier = try await status(phone).nextProductIdentifier
    #expect(nextProductIdentifier == "basic")
    try pro.change(to: "pro")
    let secondNextProductIdentifier = try await status(phone).nextProductIdentifier
    #expect(secondNextProductIdentifier == "pro")
    try pro.change(to: "basic")
    try await session.advance(by: .months(1))
    #expect(
      session.store.transactions().filter { $0.state == .purchased }.map(\.productIdentifier) == ["pro", "basic"])
    #expect(session.transactions(of: "basic").last?.reason == .renewal)
    let activeProducts = try await active(phone)
    #expect(activeProducts == ["basic"])
  }

  @Test("SUB-7: a pause begins with the end of the period and ends by itself with a charge, or by hand")
  func pause() async throws {
    let (phone, pro) = try await bought("pro")
    try pro.pause(months: 2)
    try await session.advance(by: .months(1))
    #expect(pro.state == .paused)
    #expect(try await active(phone).isEmpty)
    try await session.advance(by: .months(2))
    #expect(pro.state == .subscribed && pro.transactions.count == 2)
    let activeProducts = try await active(phone)
    #expect(activeProducts == ["pro"])
    try pro.pause(months: 3)
    try await session.advance(by: .months(2))
    try pro.resume()
    #expect(pro.state == .subscribed && pro.transactions.count == 3)
  }

  // MARK: Mistakes

  @Test("What cannot happen throws, says what to do, and changes nothing")
  func mistakes() async throws {
    let pro = session.subscription("pro")
    #expect(pro.state == nil && !pro.isEntitled && pro.status.state == .notSubscribed)
    func code(_ body: () throws(LocalSubscriptionError) -> Void) -> LocalSubscriptionError.Code? {
      do throws(LocalSubscriptionError) {
        try body()
        return nil
      } catch {
        #expect(error.description.hasPrefix("expected "))
        return error.code
      }
    }
    #expect(code { () throws(LocalSubscriptionError) in try session.subscription("coins").expire() } == .notSubscribed)
    #expect(code { () throws(LocalSubscriptionError) in try pro.expire() } == .notSubscribed)
    _ = try await bought("pro")
    let before = pro.status
    #expect(code { () throws(LocalSubscriptionError) in try pro.change(to: "short") } == .notSold)
    #expect(code { () throws(LocalSubscriptionError) in try pro.pause(months: 4) } == .invalidValue)
    #expect(code { () throws(LocalSubscriptionError) in try pro.consentToPriceRise() } == .noQuestion)
    for price in ["", "abc", "12.9x", "0", "-1", "1.234"] {
      #expect(code { () throws(LocalSubscriptionError) in try pro.raisePrice(to: price) } == .invalidValue)
    }
    #expect(pro.status == before)
    try await session.advance(by: .days(30))
    try await session.advance(by: .hours(12))
    #expect(code { () throws(LocalSubscriptionError) in try pro.raisePrice(to: "29.99") } == .renewsSoon)
    try pro.fail()
    try await session.advance(by: .days(1))
    #expect(code { () throws(LocalSubscriptionError) in try pro.raisePrice(to: "29.99") } == .paymentDue)
    #expect(code { () throws(LocalSubscriptionError) in try pro.pause(months: 1) } == .paymentDue)
  }

  // MARK: Faults

  @Test("Faults meet the questions about offerings and subscriptions")
  func faults() async throws {
    let (phone, _) = try await bought("pro")
    session.disturb(.subscriptions, with: .fail(.connection))
    await #expect(throws: OnsideFailure.offline) { try await status(phone) }
    let state = try await status(phone).state
    #expect(state == .subscribed)
    session.disturb(.offerings, with: .fail(.internalError))
    await #expect(throws: OnsideProductsRequestError.internalError) {
      try await phone.run { _ = try await Onside.offerings() }
    }
    #expect(session.transactions().first?.steps.count { $0.kind == .fault } == 2)
  }
}
