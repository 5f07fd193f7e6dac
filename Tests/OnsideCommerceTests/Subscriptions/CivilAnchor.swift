import Foundation
import OnsideCommerce

/// Where periods are counted from, by the Gregorian calendar in UTC and with integers alone: what the walks hold the
/// machine's dates against. From 1970 on.
struct CivilAnchor {
  /// Seconds since 1970.
  private let base: Int
  private var months = 0

  init(seconds: Int) { base = seconds }

  /// The moment at which the periods so far are over, in seconds since 1970.
  var seconds: Int {
    var (year, month, day) = Self.date(base / 86_400)
    month += months
    year += (month - 1) / 12
    month = (month - 1) % 12 + 1
    day = min(day, Self.days(of: month, year))
    return Self.days(to: (year, month, day)) * 86_400 + base % 86_400
  }

  /// Months and years are counted from one first day; days and weeks move it along.
  mutating func advance(by period: Period, times: Int) {
    let count = period.count * times
    switch period.unit {
    case .day: self = CivilAnchor(seconds: seconds + count * 86_400)
    case .week: self = CivilAnchor(seconds: seconds + count * 7 * 86_400)
    case .month: months += count
    case .year: months += count * 12
    }
  }

  static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

  static func days(of month: Int, _ year: Int) -> Int {
    month == 2 ? (isLeap(year) ? 29 : 28) : [4, 6, 9, 11].contains(month) ? 30 : 31
  }

  /// Days since 1 January 1970.
  static func days(to date: (year: Int, month: Int, day: Int)) -> Int {
    (1970..<date.year).reduce(0) { $0 + (isLeap($1) ? 366 : 365) }
      + (1..<date.month).reduce(0) { $0 + days(of: $1, date.year) } + date.day - 1
  }

  private static func date(_ days: Int) -> (year: Int, month: Int, day: Int) {
    var (left, year, month) = (days, 1970, 1)
    while left >= (isLeap(year) ? 366 : 365) { (left, year) = (left - (isLeap(year) ? 366 : 365), year + 1) }
    while left >= self.days(of: month, year) { (left, month) = (left - self.days(of: month, year), month + 1) }
    return (year, month, left + 1)
  }
}
