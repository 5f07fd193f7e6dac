import Foundation

/// A time in the past on the command line.
enum PastTime {
  /// Returns the time of a distance such as 2h, or the start of a day such as 2026-11-01 (UTC).
  static func date(_ flag: String, _ text: String, now: Date) throws -> Date {
    if let seconds = text.seconds { return now.addingTimeInterval(-seconds) }
    guard let day = try? DayArgument(flag, text) else {
      throw CommandFailure(
        "\(flag): expected a number and s, m, h, d or w, such as 2h, or a day such as 2026-11-01, got \"\(text)\"")
    }
    return day.date
  }
}
