public import Foundation

/// How fast time passes for the subscriptions of a test store: the numbers of `SKTestSession.TimeRate`.
///
/// Apple documents, for every rate, how long weekly and monthly subscriptions last, the grace period and the time for
/// which a failed payment is tried again. What it leaves out is scaled: a day is a seventh of a week, a year twelve
/// months.
public struct TimeRate: RawRepresentable, Sendable, Hashable, Codable {
  /// The number in the file.
  public let rawValue: Int

  /// A rate by its number; numbers that are not known run in real time.
  public init(rawValue: Int) { self.rawValue = rawValue }

  /// Time as it is.
  public static let realTime = TimeRate(rawValue: 0)
  /// A month in an hour.
  public static let monthlyRenewalEveryHour = TimeRate(rawValue: 10)
  /// A month in half a minute, the fastest scaled rate.
  public static let monthlyRenewalEveryThirtySeconds = TimeRate(rawValue: 15)
  /// Every period in two seconds, however long it is: the fastest rate.
  public static let oneRenewalEveryTwoSeconds = TimeRate(rawValue: 1005)

  /// True for real time and the rates that Apple lists.
  var isKnown: Bool { self == .realTime || scale != nil }

  /// How many seconds a period lasts at this rate; nil in real time, where the calendar decides.
  public func seconds(for period: Period) -> TimeInterval? {
    guard let scale else { return nil }
    guard scale.isScaled else { return scale.month }
    let unit: TimeInterval =
      switch period.unit {
      case .day: scale.week / 7
      case .week: scale.week
      case .month: scale.month
      case .year: scale.month * 12
      }
    return unit * TimeInterval(period.count)
  }

  /// For how many seconds after a failed payment a subscription of a period still gives what it sells.
  ///
  /// - Parameter days: how many days its product grants, 16 without a rule of its own. A period of up to a week has 6
  ///   at most.
  public func gracePeriod(for period: Period, days: Int? = nil) -> TimeInterval {
    let isShort = period.unit == .week && period.count == 1 || period.unit == .day && period.count <= 7
    let days = TimeInterval(min(max(0, days ?? 16), isShort ? 6 : 28))
    guard let scale else { return days * Self.day }
    guard scale.isScaled else { return days == 0 ? 0 : scale.grace }
    return isShort ? (scale.week * days / 7).rounded() : (scale.grace * days / 16).rounded()
  }

  /// For how many seconds a failed payment is tried again: 60 days.
  public var billingRetryPeriod: TimeInterval { scale?.retry ?? 60 * Self.day }

  private static let day: TimeInterval = 86_400

  private struct Scale {
    var week: TimeInterval
    var month: TimeInterval
    var grace: TimeInterval
    var retry: TimeInterval
    /// False when every period lasts the same.
    var isScaled = true

    static func day(_ day: TimeInterval) -> Scale {
      Scale(week: day * 7, month: day * 30, grace: day * 16, retry: day * 60)
    }

    static func month(_ month: TimeInterval, week: TimeInterval) -> Scale {
      Scale(week: week, month: month, grace: month / 2, retry: month * 2)
    }

    static func renewal(_ length: TimeInterval) -> Scale {
      Scale(week: length, month: length, grace: length, retry: length * 2, isScaled: false)
    }
  }

  private var scale: Scale? { Self.scales[rawValue] }

  private static let scales: [Int: Scale] = [
    1: .day(3600), 2: .day(1800), 3: .day(300), 4: .day(60), 5: .day(30), 6: .day(1),
    10: .month(3600, week: 900), 11: .month(1800, week: 600), 12: .month(900, week: 300),
    13: .month(300, week: 180), 15: .month(30, week: 10),
    1000: .renewal(900), 1001: .renewal(300), 1002: .renewal(60), 1003: .renewal(30), 1004: .renewal(10),
    1005: .renewal(2),
  ]
}
