public import Foundation

/// A length of time in calendar units, such as one month or two weeks.
public struct Period: Sendable, Hashable {
  /// A calendar unit.
  public enum Unit: String, Sendable, Hashable, Codable, CaseIterable {
    /// 24 hours in UTC.
    case day
    /// Seven days.
    case week
    /// A calendar month.
    case month
    /// A calendar year.
    case year
  }

  /// The unit counted.
  public let unit: Unit
  /// How many units, 1 to 9999.
  public let count: Int

  /// A period of `count` units; nil unless `count` is 1 to 9999.
  public init?(unit: Unit, count: Int) {
    guard 1...9999 ~= count else { return nil }
    self.unit = unit
    self.count = count
  }

  /// Reads an ISO 8601 duration of one unit: `P7D`, `P1W`, `P3M`, `P1Y`. Mixed ones such as `P1Y6M` are refused.
  public init?(iso8601 text: String) {
    guard text.first == "P", let letter = text.last, let unit = Unit.allCases.first(where: { $0.letter == letter })
    else { return nil }
    let digits = text.dropFirst().dropLast()
    guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let count = Int(digits) else { return nil }
    self.init(unit: unit, count: count)
  }

  private init(checked unit: Unit) {
    self.unit = unit
    self.count = 1
  }

  /// One day.
  public static let oneDay = Period(checked: .day)
  /// One week.
  public static let oneWeek = Period(checked: .week)
  /// One month.
  public static let oneMonth = Period(checked: .month)
  /// One year.
  public static let oneYear = Period(checked: .year)

  /// The ISO 8601 duration: `P1M`.
  public var iso8601: String { "P\(count)\(unit.letter)" }

  /// The moment `times` periods after `date`, in the Gregorian calendar and UTC.
  ///
  /// Always count from the first date of a chain: the day of the month is then anchored, and 31 January goes to
  /// 28 February and on to 31 March. Past the end of the calendar it is the distant future.
  public func adding(to date: Date, times: Int = 1) -> Date {
    let end = times < 0 ? Date.distantPast : Date.distantFuture
    let (total, overflow) = count.multipliedReportingOverflow(by: times)
    // Foundation's calendar gives the date back unchanged when the number is absurd.
    guard !overflow, total.magnitude < 1_000_000 else { return end }
    return Self.calendar.date(byAdding: unit.component, value: total, to: date) ?? end
  }

  private static let calendar: Calendar = {
    var calendar = Calendar(identifier: .gregorian)
    calendar.timeZone = .gmt
    return calendar
  }()
}

extension Period.Unit {
  fileprivate var letter: Character {
    switch self {
    case .day: "D"
    case .week: "W"
    case .month: "M"
    case .year: "Y"
    }
  }

  fileprivate var component: Calendar.Component {
    switch self {
    case .day: .day
    case .week: .weekOfYear
    case .month: .month
    case .year: .year
    }
  }
}

extension Period: CustomStringConvertible {
  /// The ISO 8601 duration.
  public var description: String { iso8601 }
}

extension Period: Codable {
  /// Reads an ISO 8601 duration of one unit.
  public init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    let text = try container.decode(String.self)
    guard let period = Period(iso8601: text) else {
      throw DecodingError.dataCorruptedError(
        in: container, debugDescription: "expected an ISO 8601 duration of one unit such as P1M, got \"\(text)\"")
    }
    self = period
  }

  /// Writes the ISO 8601 duration.
  public func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    try container.encode(iso8601)
  }
}
