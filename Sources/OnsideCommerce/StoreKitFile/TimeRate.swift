public import Foundation

/// How fast time passes for the subscriptions of a test store: the numbers of `SKTestSession.TimeRate`.
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

  /// True for real time and the rates below.
  var isKnown: Bool { self == .realTime || scale != nil }

  /// How many seconds a period lasts at this rate; nil in real time, where the calendar decides.
  ///
  /// A year is twelve months. At monthly rates a month is four weeks, at daily rates thirty days.
  public func seconds(for period: Period) -> TimeInterval? {
    guard let scale else { return nil }
    let unit: TimeInterval =
      switch period.unit {
      case .day: scale.day
      case .week: scale.week
      case .month: scale.month
      case .year: scale.month * 12
      }
    return unit * TimeInterval(period.count)
  }

  private struct Scale {
    let day: TimeInterval
    let week: TimeInterval
    let month: TimeInterval

    static func daily(_ seconds: TimeInterval) -> Scale { Scale(day: seconds, week: seconds * 7, month: seconds * 30) }
    static func monthly(_ seconds: TimeInterval) -> Scale {
      Scale(day: seconds / 28, week: seconds / 4, month: seconds)
    }
  }

  private var scale: Scale? { Self.scales[rawValue] }

  private static let scales: [Int: Scale] = [
    1: .daily(3600), 2: .daily(1800), 3: .daily(300), 4: .daily(60), 5: .daily(30), 6: .daily(1),
    10: .monthly(3600), 11: .monthly(1800), 12: .monthly(900), 13: .monthly(300), 15: .monthly(30),
  ]
}
