import ArgumentParser
import Foundation

/// A period of whole days of UTC.
struct PeriodOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Only from this day on (UTC), such as 2026-11-01.", valueName: "day"))
  var since: String?
  @Option(help: ArgumentHelp("Only before this day (UTC).", valueName: "day")) var until: String?

  /// The first moment, if there is one.
  var start: Date? { get throws { try since.map { try DayArgument("--since", $0).date } } }

  /// The first moment after it, if there is one.
  var end: Date? {
    get throws {
      let end = try until.map { try DayArgument("--until", $0).date }
      if let end, let start = try start, end < start {
        throw CommandFailure("--until: expected a day that is not before --since, got \"\(until ?? "")\"")
      }
      return end
    }
  }
}

/// A day on the command line.
struct DayArgument {
  let date: Date

  /// Throws ``CommandFailure`` for anything but a day such as 2026-11-01.
  init(_ flag: String, _ text: String) throws {
    guard let date = try? Date.ISO8601FormatStyle().year().month().day().parse(text) else {
      throw CommandFailure("\(flag): expected a day such as 2026-11-01, got \"\(text)\"")
    }
    self.date = date
  }
}
