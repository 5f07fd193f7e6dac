public import Foundation

/// A length of simulated time.
public struct TimeSpan: Hashable, Sendable {
  private var seconds = 0.0
  private var months = 0

  /// A number of seconds.
  public static func seconds(_ count: Double) -> TimeSpan { TimeSpan(seconds: count) }
  /// A number of minutes.
  public static func minutes(_ count: Double) -> TimeSpan { TimeSpan(seconds: count * 60) }
  /// A number of hours.
  public static func hours(_ count: Double) -> TimeSpan { TimeSpan(seconds: count * 3600) }
  /// A number of days of 24 hours.
  public static func days(_ count: Double) -> TimeSpan { TimeSpan(seconds: count * 86_400) }
  /// A number of weeks.
  public static func weeks(_ count: Double) -> TimeSpan { TimeSpan(seconds: count * 604_800) }
  /// A number of months of the Gregorian calendar, in UTC.
  public static func months(_ count: Int) -> TimeSpan { TimeSpan(months: count) }
  /// A number of years of the Gregorian calendar, in UTC.
  public static func years(_ count: Int) -> TimeSpan { TimeSpan(months: count * 12) }

  /// The moment that is so much later.
  public func after(_ date: Date) -> Date {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return (calendar.date(byAdding: .month, value: months, to: date) ?? date) + seconds
  }
}
