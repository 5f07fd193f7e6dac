import Foundation
import OnsideCommerce
import Testing

/// The payments of a subscription and the times that they paid for, counted outside the machine with integers alone:
/// amounts in the smallest unit, moments in seconds since 1970.
struct SubscriptionBook {
  /// A paid period, as far as it was used.
  private struct Paid {
    var number: Int
    let price: Int
    var length: Int
    var start: Int
    var end: Int
    var givenBack = 0
    /// What the store keeps of the price.
    var kept: Int
  }

  /// What a walk may meet; all walks together meet everything.
  enum Happening: CaseIterable {
    case cutByAnotherPlan, wholePriceBack, nextTakenBack, takenBack, gapAfterRetry, gapBeforePurchase
    case lateMoneyBack, duePaidByPurchase, duePaidByOtherPlan, dueIsOver, graceAfterGrace, extended
  }

  private(set) var met: Set<Happening> = []
  private var paid: [Paid] = []
  private var anchor = CivilAnchor(seconds: 0)
  private var isTakenBack = false
  private var moneyIn = 0
  private var moneyOut = 0
  private var succeeded: Set<SubscriptionCharge> = []
  /// Whether the last charge was not made because there was no method.
  private var lacksMethod = false
  /// Whether a grace period has ended unpaid or was paid with another plan, or the subscription was taken back, and no
  /// renewal was paid in time since.
  private var hasUsedGrace = false
  private var graces = 0
  /// How often the money of a charge was kept or given back.
  private var used: [SubscriptionCharge: Int] = [:]

  /// Until when the account has paid; nil when it has not, or that was taken back.
  var paidUntil: Int? { isTakenBack ? nil : paid.last?.end }

  /// - Parameter before: the subscription before the event.
  mutating func note(
    _ effects: [SubscriptionEffect], after event: SubscriptionEvent, at now: Date, before: SubscriptionMachine
  ) {
    let now = Int(now.timeIntervalSince1970)
    takeMoney(of: event, effects)
    if case .chargeFailed(let charge, _, let hasMethod) = event, charge == before.openCharge {
      lacksMethod = !hasMethod
    }
    if case .extended(let end) = event, effects.isEmpty { extend(to: Int(end.timeIntervalSince1970)) }
    for effect in effects {
      switch effect {
      case .began(let period): begin(period, after: event, at: now, before: before)
      case .refundCharge(let charge):
        used[charge, default: 0] += 1
        moneyOut += Int(charge.price.minorUnits)
        met.insert(.lateMoneyBack)
      case .refundUnused(let money, let period): giveBack(money, of: period.number, at: now)
      case .periodDropped(let running): drop(to: running)
      case .revoked:
        takeBack(after: event, at: now)
        hasUsedGrace = true
      case .charge: lacksMethod = false
      case .graceBegan:
        #expect(!lacksMethod && !hasUsedGrace, "a grace period needs a method, and the payment of the one before")
        graces += 1
        if graces > 1 { met.insert(.graceAfterGrace) }
      case .retryBegan, .expired: if before.stage == .grace { hasUsedGrace = true }
      default: break
      }
    }
    if isTakenBack { cut(at: now) }
  }

  /// Every payment is kept once or given back once, and what came in went out again or is kept, to the last unit.
  func close() {
    for charge in succeeded { #expect(used[charge] == 1, "\(charge)") }
    #expect(moneyIn == moneyOut + paid.reduce(0) { $0 + $1.kept }, "no sum is lost to rounding")
  }

  private mutating func takeMoney(of event: SubscriptionEvent, _ effects: [SubscriptionEffect]) {
    switch event {
    case .chargeSucceeded(let charge):
      if succeeded.insert(charge).inserted { moneyIn += Int(charge.price.minorUnits) }
      if effects.contains(where: { if case .began = $0 { true } else { false } }) { used[charge, default: 0] += 1 }
    case .purchased(let plan, let offer):
      if case .refused = effects.first { return }
      moneyIn += Int((offer?.price ?? plan.price).minorUnits)
    default: break
    }
  }

  private mutating func begin(
    _ period: PaidPeriod, after event: SubscriptionEvent, at now: Int, before: SubscriptionMachine
  ) {
    let isPurchase = if case .purchased = event { true } else { false }
    let isGrace = before.stage == .grace
    // A payment in the grace period pays the period that is due, unless that would be charged again at once.
    let paysDue = isGrace && end(of: period).seconds - Int(before.terms.leadTime) > now
    // Money that comes while it is tried again begins anew.
    let follows = isGrace ? paysDue : !isPurchase && before.stage != .retry
    let isOther = before.period?.plan.productID != period.plan.productID
    if isGrace, isOther || !paysDue {
      hasUsedGrace = true
      met.insert(paysDue ? .duePaidByOtherPlan : .dueIsOver)
    } else if !isPurchase, follows {
      hasUsedGrace = false
    }
    if follows {
      #expect(anchor.seconds == paid.last?.end, "a renewal follows the period before")
      if isPurchase { met.insert(.duePaidByPurchase) }
    } else {
      startAnew(at: now, isPurchase: isPurchase, before: before.stage)
    }
    lacksMethod = false
    let start = anchor.seconds
    anchor = end(of: period)
    #expect(Int(period.start.timeIntervalSince1970) == start && Int(period.end.timeIntervalSince1970) == anchor.seconds)
    #expect(period.number == (paid.last?.number ?? 0) + 1 && anchor.seconds > start)
    let price = Int(period.price.minorUnits)
    let length = anchor.seconds - start
    paid.append(
      Paid(number: period.number, price: price, length: length, start: start, end: start + length, kept: price))
    isTakenBack = false
  }

  private mutating func extend(to end: Int) {
    guard let last = paid.indices.last, end > paid[last].end else { return }
    paid[last].length += end - paid[last].end
    paid[last].end = end
    anchor = CivilAnchor(seconds: end)
    met.insert(.extended)
  }

  /// The anchor after a period that begins at the present one.
  private func end(of period: PaidPeriod) -> CivilAnchor {
    var end = anchor
    let count = period.offer.map { $0.mode == .payAsYouGo ? 1 : $0.periodCount } ?? 1
    end.advance(by: period.offer?.period ?? period.plan.period, times: count)
    return end
  }

  /// What runs ends now. A gap is one that a purchase has left after an end, or money that came late.
  private mutating func startAnew(at now: Int, isPurchase: Bool, before: SubscriptionMachine.Stage) {
    cut(at: now)
    anchor = CivilAnchor(seconds: now)
    guard let last = paid.last else { return }
    #expect(last.end <= now, "two periods for one time")
    if before == .active { #expect(last.end == now, "a gap that no rule explains") }
    if last.end < now { met.insert(isPurchase ? .gapBeforePurchase : .gapAfterRetry) }
  }

  /// Ends what runs, and what would follow: the store keeps the price of the used part, rounded up.
  private mutating func cut(at now: Int) {
    for index in paid.indices where paid[index].end > now {
      let period = paid[index]
      let used = max(0, now - period.start)
      let (whole, rest) = Self.share(period.price, used, of: period.length)
      paid[index].kept = whole + (rest > 0 ? 1 : 0)
      #expect(paid[index].kept + period.givenBack == period.price, "kept and given back are the price")
      (paid[index].start, paid[index].end) = (min(period.start, now), now)
      met.insert(used == 0 ? .wholePriceBack : .cutByAnotherPlan)
    }
  }

  private mutating func giveBack(_ money: Money, of number: Int, at now: Int) {
    guard let index = paid.lastIndex(where: { $0.number == number }) else {
      Issue.record("period \(number) was never paid")
      return
    }
    let period = paid[index]
    let unused = Self.share(period.price, period.end - max(now, period.start), of: period.length).whole
    #expect(Int(money.minorUnits) == unused && unused > 0 && period.givenBack == 0)
    paid[index].givenBack += Int(money.minorUnits)
    moneyOut += Int(money.minorUnits)
  }

  /// The next period, paid already, was refunded: its time is gone, and the period before takes its number.
  private mutating func drop(to running: PaidPeriod) {
    moneyOut += paid.removeLast().price
    guard let last = paid.indices.last else { return }
    paid[last].number = running.number
    #expect(Int(running.end.timeIntervalSince1970) == paid[last].end)
    anchor = CivilAnchor(seconds: paid[last].end)
    met.insert(.nextTakenBack)
  }

  private mutating func takeBack(after event: SubscriptionEvent, at now: Int) {
    guard case .refunded(let number, _) = event, let index = paid.lastIndex(where: { $0.number == number }) else {
      Issue.record("\(event) takes something back")
      return
    }
    moneyOut += paid[index].price
    (paid[index].kept, paid[index].end) = (0, min(paid[index].end, now))
    isTakenBack = true
    met.insert(.takenBack)
  }

  /// `amount · part / whole` and what is left, without a product that overflows.
  private static func share(_ amount: Int, _ part: Int, of whole: Int) -> (whole: Int, rest: Int) {
    let rest = amount % whole * part
    return (amount / whole * part + rest / whole, rest % whole)
  }
}
