import Foundation

/// Where the periods of a subscription are counted from.
///
/// Months are counted from one first day, so that 31 January goes to 28 February and on to 31 March. Days and weeks
/// have one length in UTC and move the anchor along.
struct BillingAnchor: Sendable, Hashable, Codable {
  private var date: Date
  private var months = 0

  init(_ date: Date) { self.date = date }

  /// The moment at which the periods so far are over.
  func end(at rate: TimeRate) -> Date {
    rate == .realTime && months > 0 ? Period.oneMonth.adding(to: date, times: months) : date
  }

  /// Adds a period some times.
  mutating func advance(by period: Period, times: Int, at rate: TimeRate) {
    if let seconds = rate.seconds(for: period) {
      date += seconds * TimeInterval(times)
    } else if let length = period.months {
      months += length * times
    } else {
      self = BillingAnchor(period.adding(to: end(at: rate), times: times))
    }
  }
}

extension Period {
  /// The length in months; nil for days and weeks.
  fileprivate var months: Int? {
    switch unit {
    case .day, .week: nil
    case .month: count
    case .year: count * 12
    }
  }
}
