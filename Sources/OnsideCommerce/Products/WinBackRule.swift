public import Foundation

/// When an account whose subscription is over can have a win-back offer. Months are those of the calendar, in UTC.
public struct WinBackRule: Sendable, Hashable {
  /// For how many months the account has paid in the group at least, free trials not counted.
  public var paidMonths: Int
  /// From how many months after the end of its last paid period on.
  public var lapsedFrom: Int
  /// Until how many months after that end; nil without a limit.
  public var lapsedTo: Int?
  /// How many months after a win-back offer of the group it can have the next one.
  public var waitMonths: Int

  /// A rule; without arguments every account whose subscription is over can have the offer, at once, and once a year.
  public init(
    paidMonths: Int = 0, lapsedFrom: Int = 0, lapsedTo: Int? = nil, waitMonths: Int = Self.standardWait
  ) {
    self.paidMonths = paidMonths
    self.lapsedFrom = lapsedFrom
    self.lapsedTo = lapsedTo
    self.waitMonths = waitMonths
  }

  /// For how many months the next win-back offer has to wait without a ``waitMonths``: else a trial could be taken
  /// again and again.
  public static let standardWait = 12

  /// The rule of an offer that has none: every account whose subscription is over, at once, and once a year.
  public static let standard = WinBackRule()

  /// Whether an account can have the offer.
  ///
  /// - Parameters:
  ///   - end: when its last paid period in the group ended.
  ///   - paid: the times that it has paid for in the group; they may overlap.
  ///   - lastOffer: when it last took a win-back offer of the group.
  public func allows(lapsedAt end: Date, paid: [Range<Date>], lastOffer: Date?, at now: Date) -> Bool {
    guard end <= now, Self.date(lapsedFrom, after: end) <= now else { return false }
    if let lapsedTo, Self.date(lapsedTo, after: end) < now { return false }
    if let lastOffer, Self.date(waitMonths, after: lastOffer) > now { return false }
    guard paidMonths > 0 else { return true }
    guard let first = paid.map(\.lowerBound).min() else { return false }
    return Self.date(paidMonths, after: first) <= first + Self.length(of: paid)
  }

  private static func date(_ months: Int, after date: Date) -> Date {
    months > 0 ? Period.oneMonth.adding(to: date, times: months) : date
  }

  /// How long times are together, in seconds; what overlaps counts once.
  private static func length(of times: [Range<Date>]) -> TimeInterval {
    var (total, end) = (TimeInterval(0), Date.distantPast)
    for time in times.sorted(by: { $0.lowerBound < $1.lowerBound }) where time.upperBound > end {
      total += time.upperBound.timeIntervalSince(max(end, time.lowerBound))
      end = time.upperBound
    }
    return total
  }
}

extension WinBackRule: Codable {
  private enum CodingKeys: CodingKey { case paidMonths, lapsedFrom, lapsedTo, waitMonths }

  /// Reads a rule. What is missing is no condition; only ``waitMonths`` is 12 then.
  public init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    self.init(
      paidMonths: try values.decodeIfPresent(Int.self, forKey: .paidMonths) ?? 0,
      lapsedFrom: try values.decodeIfPresent(Int.self, forKey: .lapsedFrom) ?? 0,
      lapsedTo: try values.decodeIfPresent(Int.self, forKey: .lapsedTo),
      waitMonths: try values.decodeIfPresent(Int.self, forKey: .waitMonths) ?? Self.standardWait)
  }
}
