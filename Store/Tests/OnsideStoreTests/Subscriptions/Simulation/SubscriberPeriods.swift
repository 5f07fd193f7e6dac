import Foundation
import OnsideAPI
import OnsideCommerce

@testable import OnsideStore
@testable import StoreBase
@testable import StoreSales

/// The periods that an account has paid, counted by the rules of docs/subscriptions.md and nothing of the store's.
struct SubscriberPeriods {
  struct Period {
    let order: UUID
    let plan: String
    let paidAt: Date
    let start: Date
    var end: Date
    var takenBackAt: Date?

    var isTakenBack: Bool { takenBackAt != nil }
  }

  private(set) var periods: [Period] = []
  private(set) var faults: [String] = []
  private let plans: SimulatedPlans
  private let paidInGrace: [UUID: Bool]
  private let graces: Set<Date>
  /// Whether no grace period follows the last period: one has ended unpaid or was paid with another plan, or the
  /// subscription was taken back, and no renewal was paid in time since. Nil where that is not known.
  private(set) var hasUsedGrace: Bool? = false
  /// When the last renewal in time was paid.
  private var settledAt = Date.distantPast
  private var anchor = (date: Date.distantPast, months: 0)

  /// - Parameters:
  ///   - orders: what the store knows as paid.
  ///   - pauses: when pauses were planned.
  ///   - paidInGrace: whether purchases after the end of a period were paid in its grace period, where that is known.
  ///   - graces: the ends of the periods that a grace period has followed.
  init(
    _ orders: [Order], pauses: [Date], plans: SimulatedPlans, paidInGrace: [UUID: Bool] = [:], graces: Set<Date> = []
  ) {
    (self.plans, self.paidInGrace, self.graces) = (plans, paidInGrace, graces)
    let paid = orders.filter { $0.state.stage == .paid && $0.duplicateOf == nil }
      .inOrderOfPayment
    for order in paid { add(order, pauses: pauses) }
    endWhatFollows()
    for (index, order) in paid.enumerated() where !isSame(order.expiresAt, periods[index].end) {
      faults.append("\(name(order)) ends \(text(order.expiresAt)), expected \(text(periods[index].end))")
    }
    for (first, second) in zip(periods, periods.dropFirst())
    where second.start + 1 < first.end && !first.isTakenBack && first.end > first.start {
      faults.append("\(first.order) and \(second.order) overlap")
    }
  }

  /// Whether something may give access at a moment: the next period is paid up to an hour before it begins.
  func mayRun(at now: Date) -> Bool {
    periods.contains { !$0.isTakenBack && $0.start - 3660 <= now && now < $0.end }
  }

  /// What gives access at a moment.
  func running(at now: Date) -> [Period] { periods.filter { !$0.isTakenBack && $0.start <= now && now < $0.end } }

  /// The last period that is known at a moment, but for one that was taken back before it began.
  func last(at moment: Date) -> Period? {
    periods.last { period in period.takenBackAt.map { $0 > moment || $0 >= period.start } ?? true }
  }

  private mutating func add(_ order: Order, pauses: [Date]) {
    guard let paid = order.paidAt else { return }
    if order.reason == .renewal, let last = last(at: paid), !last.isTakenBack, paid < last.end - 3660 {
      faults.append("\(name(order)) is charged before its time, \(text(last.end))")
    }
    if order.reason == .grant { return grant(order, at: paid) }
    let starts = starts(of: order, paidAt: paid, pauses: pauses)
    let ends = starts.map { ($0, end(of: order, from: $0)) }
    guard let (start, found) = ends.first(where: { isSame(order.expiresAt, $0.1.date) }) ?? ends.first else { return }
    noteGrace(order, from: start, paidAt: paid)
    if order.reason != .renewal { endOthers(at: paid) }
    anchor = found.anchor
    periods.append(
      Period(
        order: order.id, plan: order.product.message.id, paidAt: paid, start: start, end: found.date,
        takenBackAt: order.state.revocation?.date))
  }

  /// A grace period ends unpaid when the next period does not begin with it. A renewal in time settles that.
  private mutating func noteGrace(_ order: Order, from start: Date, paidAt paid: Date) {
    noteRevocation(before: paid)
    guard let last = last(at: paid) else { return }
    let (isGrace, isOther) = (graces.contains(last.end), last.plan != order.product.message.id)
    if !isSame(start, last.end) {
      if isGrace { hasUsedGrace = true }
    } else if last.end <= paid, isOther {
      // Nobody may have looked between the end and the payment.
      hasUsedGrace = isGrace ? true : hasUsedGrace == true && order.reason != .renewal ? true : nil
    } else if order.reason == .renewal {
      (hasUsedGrace, settledAt) = (false, paid)
    }
  }

  /// A refund of what runs takes the subscription back. After the end it does so while the renewal is wanted.
  private mutating func noteRevocation(before moment: Date) {
    for period in periods {
      guard let takenBack = period.takenBackAt, settledAt < takenBack, takenBack <= moment, period.start <= takenBack
      else { continue }
      if takenBack < period.end {
        hasUsedGrace = true
      } else if hasUsedGrace == false {
        hasUsedGrace = nil
      }
    }
  }

  /// A grant goes on to the end of the order that it replaces, beside no other period.
  private mutating func grant(_ order: Order, at moment: Date) {
    let replaced = periods.first { $0.order == order.reinstates && $0.isTakenBack }
    if replaced == nil { faults.append("\(name(order)) replaces no revoked order") }
    if !running(at: moment).isEmpty { faults.append("\(name(order)) is granted beside a period that runs") }
    let end = replaced?.end ?? moment
    anchor = (date: end, months: 0)
    periods.append(
      Period(
        order: order.id, plan: order.product.message.id, paidAt: moment, start: moment, end: end,
        takenBackAt: order.state.revocation?.date))
  }

  /// Another plan takes the place of the running period, and of the next one if it is paid.
  private mutating func endOthers(at moment: Date) {
    for index in periods.indices where periods[index].end > moment {
      if let takenBack = periods[index].takenBackAt, takenBack <= moment { continue }
      periods[index].end = moment
    }
  }

  /// Who gets the money of a running period back, gets back that of the next one, too.
  private mutating func endWhatFollows() {
    for (first, next) in zip(periods.indices, periods.indices.dropFirst()) {
      let (period, follower) = (periods[first], periods[next])
      guard let moment = period.takenBackAt, period.start <= moment, moment < period.end,
        follower.paidAt <= moment, follower.start >= period.end, follower.takenBackAt == nil
      else { continue }
      (periods[next].end, periods[next].takenBackAt) = (moment, moment)
    }
  }

  /// When a period may begin: a renewal continues the one before while that runs and in its grace period, of a day at
  /// least; everything else begins with its payment.
  private func starts(of order: Order, paidAt paid: Date, pauses: [Date]) -> [Date] {
    guard let last = last(at: paid) else { return [paid] }
    let grace = plans.grace(of: last.plan)
    guard order.reason == .renewal else {
      guard last.end <= paid, paid < last.end + grace, !isOver(order, from: last.end, at: paid) else { return [paid] }
      if let takenBackAt = last.takenBackAt {
        // The store hears of a refund later than its date.
        return takenBackAt + 2 * 86_400 < paid ? [paid] : [paid, last.end]
      }
      return paidInGrace[order.id].map { $0 ? [last.end] : [paid] } ?? [paid, last.end]
    }
    if paid < last.end { return [last.end] }
    if pauses.contains(where: { $0 >= last.start - 3700 && $0 <= paid }) { return [paid, last.end] }
    // After a grace period that ended unpaid only a charge whose answer came late keeps the date.
    if paid < last.end + grace, hasUsedGrace == false, !isOver(order, from: last.end, at: paid) { return [last.end] }
    if paid < last.end + grace { return [paid, last.end] }
    return paid < last.end + max(grace, 86_400) ? [last.end, paid] : [paid]
  }

  /// Whether a due period would be over, or charged again at once: what pays in the grace period begins now, then.
  private func isOver(_ order: Order, from due: Date, at paid: Date) -> Bool {
    end(of: order, from: due).date - 3600 <= paid
  }

  private func end(of order: Order, from start: Date) -> (date: Date, anchor: (date: Date, months: Int)) {
    let (offer, plan) = (order.offer, SimulatedPlans.plan(order.product.message.id))
    let length = offer?.period ?? plan?.period ?? .oneMonth
    let times = offer.map { $0.mode == .payAsYouGo ? 1 : $0.periodCount } ?? 1
    let goesOn = isSame(start, current) && (order.reason == .renewal || !isSame(order.paidAt, start))
    var next = goesOn ? anchor : (date: start, months: 0)
    switch length.unit {
    case .month: next.months += length.count * times
    case .year: next.months += 12 * length.count * times
    case .week, .day:
      next = (moment(of: next) + Double(length.count * times) * (length.unit == .week ? 7 : 1) * 86_400, 0)
    }
    return (moment(of: next), next)
  }

  private var current: Date { moment(of: anchor) }

  private func moment(of anchor: (date: Date, months: Int)) -> Date {
    Calendar.utc.date(byAdding: .month, value: anchor.months, to: anchor.date) ?? anchor.date
  }

  /// To the second: the database keeps milliseconds.
  private func isSame(_ one: Date?, _ other: Date) -> Bool {
    one.map { abs($0.timeIntervalSince(other)) < 1 } ?? false
  }

  private func name(_ order: Order) -> String {
    "\(order.id.lowercase) (\(order.product.message.id), \(order.reason.rawValue), paid \(text(order.paidAt)))"
  }

  private func text(_ date: Date?) -> String { date.map { RFC3339.text($0) } ?? "never" }
}

extension [Order] {
  /// The oldest payment first. Of two that were paid at once, one has taken the place of the other.
  var inOrderOfPayment: [Order] {
    sorted {
      ($0.paidAt ?? .distantPast, $0.expiresAt ?? .distantPast)
        < ($1.paidAt ?? .distantPast, $1.expiresAt ?? .distantPast)
    }
  }
}

extension Calendar {
  fileprivate static let utc: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()
}
