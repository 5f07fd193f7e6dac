import Foundation
import OnsideCommerce
import OnsideKit

/// Checks charges against the prices that were shown, and devices against the periods that were paid. Whether a grace
/// period applies is the machine's own answer; how long it may last at most is checked.
struct BillingOracle {
  private struct Price: Hashable {
    let product: String
    let amount: Int64
    let isOffer: Bool
  }

  /// How long a device may take to hear of something while everything works, in seconds.
  private static let hearingTime = 7200.0
  /// How far a device's clock may go back unnoticed, in seconds.
  private static let clockTolerance = 3600.0

  private var agreed: Set<Price> = []
  /// Since when a device that could hear of the store's news has not.
  private var deafSince: [String: Date] = [:]
  /// The latest moment that a device's clock has shown with its present list.
  private var latestClock: [String: (receivedAt: Date, clock: Date)] = [:]

  // MARK: Prices

  mutating func agrees(to plan: SubscriptionPlan, at price: Money) {
    agreed.insert(Price(product: plan.productID, amount: price.minorUnits, isOffer: false))
  }

  /// A page has shown a plan with its price, and the offer's before that.
  mutating func agrees(to plan: SubscriptionPlan, _ offer: AcceptedOffer?) {
    agrees(to: plan, at: plan.price)
    if let offer {
      agreed.insert(Price(product: plan.productID, amount: offer.price.minorUnits, isOffer: true))
    }
  }

  /// A charge at a price that no page has shown, and that needs to be agreed to.
  func fault(of charge: SubscriptionCharge) -> Violation? {
    let price = Price(
      product: charge.plan.productID, amount: charge.price.minorUnits, isOffer: charge.offer != nil)
    guard !agreed.contains(price) else { return nil }
    return Violation(promise: .p2, text: "\(charge.price.minorUnits) for \(price.product) was never agreed to")
  }

  // MARK: Access

  /// What is wrong with what a device allows, if anything is.
  mutating func fault(
    of device: BillingDevice, usable: [String], _ books: BillingBooks, isUp: Bool, at now: Date
  ) -> Violation? {
    let moment = storeTime(on: device, at: now)
    for product in usable where !mayUse(product, on: device, books, until: moment, at: now) {
      return Violation(promise: .p6, text: "\(device.name) gives \(product), and nothing that was paid allows it")
    }
    let isHearing = isUp && device.isOnline && device.clockError == 0
    guard isHearing, !device.isUpToDate(with: books, at: now) else {
      deafSince[device.name] = nil
      return isHearing ? fault(ofFresh: device, usable: usable, books, at: now) : nil
    }
    let since = deafSince[device.name] ?? now
    deafSince[device.name] = since
    guard now.timeIntervalSince(since) > Self.hearingTime else { return nil }
    return Violation(promise: .p6, text: "\(device.name) has not heard of a change since \(since)")
  }

  /// The store's time as a device may take it from its clock, which can be behind: that delays an end and gives no more
  /// than was paid. A clock that was set back counts only when it is where it was again.
  private mutating func storeTime(on device: BillingDevice, at now: Date) -> Date {
    guard let known = device.known else { return now }
    let clock = device.clock(at: now)
    let before = latestClock[device.name].flatMap { $0.receivedAt == known.receivedAt ? $0.clock : nil } ?? clock
    latestClock[device.name] = (known.receivedAt, max(before, clock))
    guard clock >= before - Self.clockTolerance else { return now }
    return min(now, clock - known.receivedAt.timeIntervalSince(known.list.issuedAt))
  }

  /// Whether the money of some period allows it, with its grace, by what the device could know.
  private func mayUse(
    _ product: String, on device: BillingDevice, _ books: BillingBooks, until moment: Date, at now: Date
  ) -> Bool {
    guard let told = device.known?.list.issuedAt else { return false }
    return books.soldPeriods.contains { sold in
      guard sold.period.plan.productID == product, sold.period.start <= now + Self.clockTolerance else {
        return false
      }
      if let revokedAt = sold.revokedAt, revokedAt <= told { return false }
      let isReplaced = sold.replacedAt.map { $0 <= told } ?? false
      let end = isReplaced ? sold.end : sold.period.end + Self.grace(after: sold.period.plan)
      return moment < end + Self.clockTolerance
    }
  }

  /// The rule of a period's grace, in seconds: 16 days unless the plan has another number, and 6 or 28 at most.
  private static func grace(after plan: SubscriptionPlan) -> TimeInterval {
    Double(min(plan.graceDays ?? 16, plan.period == .oneWeek ? 6 : 28)) * 86_400
  }

  /// A device that knows all gives what is paid, and what the store's rules give beyond.
  private func fault(
    ofFresh device: BillingDevice, usable: [String], _ books: BillingBooks, at now: Date
  ) -> Violation? {
    let running = books.soldPeriods.filter { $0.period.start <= now && now < $0.end }
    if let paid = running.last, usable.isEmpty {
      return Violation(
        promise: .p6, text: "\(device.name) gives nothing, and period \(paid.period.number) is paid until \(paid.end)")
    }
    // A store that has just started has not told its machine the time yet.
    if books.machine.asOf(now).isEntitled(at: now) == usable.isEmpty {
      return Violation(promise: .p6, text: "\(device.name) gives \(usable), the store says otherwise")
    }
    return nil
  }

  // MARK: The end

  /// What is wrong with the money when everything has come to rest, if anything is.
  func atRest(_ books: BillingBooks, _ provider: BillingProvider, isAtRest: Bool) -> Violation? {
    guard isAtRest else { return Violation(promise: .p4, text: "something is never done: \(books.outbox)") }
    for (payment, charge) in provider.charges {
      let booked = books.left(of: payment)
      if booked != charge.kept {
        return Violation(promise: .p5, text: "\(payment): the store has \(booked), the provider \(charge.kept)")
      }
      let periods = books.soldPeriods.filter { $0.payment == payment }
      let value = periods.map(Self.value).reduce(0, +)
      if periods.count > 1 || charge.kept != value {
        return Violation(
          promise: .p2, text: "\(payment) has brought \(charge.kept) for \(periods.count) periods worth \(value)")
      }
    }
    return overlap(books)
  }

  /// What is to be kept for a period: nothing when its money went back; the used part when another plan took its place.
  private static func value(of sold: BillingBooks.SoldPeriod) -> Int64 {
    let (period, price) = (sold.period, sold.period.price.minorUnits)
    guard sold.revokedAt == nil else { return 0 }
    guard let replacedAt = sold.replacedAt else { return price }
    let length = Int64(period.end.timeIntervalSince(period.start))
    let unused = Int64(period.end.timeIntervalSince(max(replacedAt, period.start)))
    return price - price * max(0, unused) / length
  }

  /// Two periods that were paid for the same time. What is not worth a cent of it does not go back.
  private func overlap(_ books: BillingBooks) -> Violation? {
    let kept = books.soldPeriods.filter { $0.revokedAt == nil && $0.end > $0.period.start }
      .sorted { $0.period.start < $1.period.start }
    for (one, next) in zip(kept, kept.dropFirst()) where one.period.unusedValue(at: next.period.start).minorUnits > 0 {
      guard next.period.start < one.end else { continue }
      return Violation(
        promise: .p2,
        text: "periods \(one.period.number) and \(next.period.number) are both paid at \(next.period.start)")
    }
    return nil
  }
}
