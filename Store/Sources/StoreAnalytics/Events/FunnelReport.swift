import Foundation

/// What a funnel has counted: how many installations reached each step, all together, by country and by week of the
/// first event.
public struct FunnelReport: Sendable, Hashable, Codable {
  /// The counts of one group of installations.
  public struct Group: Sendable, Hashable, Codable {
    /// The country (ISO 3166-1 alpha-2, `-` where it is not known) or the week (ISO 8601: `2026-W47`, UTC).
    public var name: String
    /// How many reached each step.
    public var counts: [Int]
  }

  /// The app.
  public let app: String
  /// The names of the events, in order.
  public let steps: [String]
  /// How long a try may take, in seconds.
  public let window: Int
  /// How many installations reached each step.
  public private(set) var counts: [Int]
  /// By country, the largest first.
  public private(set) var countries: [Group] = []
  /// By week, the oldest first.
  public private(set) var weeks: [Group] = []

  /// A report without a count.
  public init(app: String, funnel: Funnel) {
    self.app = app
    steps = funnel.steps
    window = Int(funnel.window)
    counts = [Int](repeating: 0, count: funnel.steps.count)
  }

  /// Counts installations.
  init(app: String, funnel: Funnel, paths: some Sequence<Funnel.Path>) {
    self.init(app: app, funnel: funnel)
    var byCountry: [String: [Int]] = [:]
    var byWeek: [String: [Int]] = [:]
    for path in paths {
      Self.count(path, in: &counts)
      Self.count(path, in: &byCountry[path.start.country ?? "-", default: Self.none(steps)])
      Self.count(path, in: &byWeek[Self.week(of: path.start.at), default: Self.none(steps)])
    }
    countries = byCountry.map { Group(name: $0.key, counts: $0.value) }
      .sorted { ($1.counts[0], $0.name) < ($0.counts[0], $1.name) }
    weeks = byWeek.map { Group(name: $0.key, counts: $0.value) }.sorted { $0.name < $1.name }
  }

  /// The part of those who started that reached a step, in tenths of a percent.
  public func permille(_ count: Int, of counts: [Int]) -> Int {
    guard let first = counts.first, first > 0 else { return 0 }
    return (count * 1000 + first / 2) / first
  }

  private static func none(_ steps: [String]) -> [Int] { [Int](repeating: 0, count: steps.count) }

  private static func count(_ path: Funnel.Path, in counts: inout [Int]) {
    for index in 0..<path.depth { counts[index] += 1 }
  }

  private static func week(of date: Date) -> String {
    var calendar = Calendar(identifier: .iso8601)
    calendar.timeZone = .gmt
    let parts = calendar.dateComponents([.yearForWeekOfYear, .weekOfYear], from: date)
    let week = parts.weekOfYear ?? 0
    return "\(parts.yearForWeekOfYear ?? 0)-W" + (week < 10 ? "0" : "") + "\(week)"
  }
}
