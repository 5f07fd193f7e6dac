import ArgumentParser
import Foundation
import OnsideStore
import StoreSales

/// The end of a granted or extended period.
struct EndOptions: ParsableArguments {
  @Option(help: "How many days.") var days: Int?
  @Option(help: ArgumentHelp("Until this day begins (UTC), such as 2026-12-24.", valueName: "day")) var until: String?

  func validate() throws {
    guard days == nil || until == nil else { throw ValidationError("expected --days or --until, got both") }
    guard days.map({ 1...3660 ~= $0 }) ?? true else { throw ValidationError("--days: expected 1 to 3660 days") }
  }

  /// The options, for the audit.
  var arguments: [String: String?] { ["days": days.map(String.init), "until": until] }

  /// The end, if one is given.
  var value: PeriodExtension? {
    get throws {
      if let days { return .days(days) }
      return try until.map { .until(try DayArgument("--until", $0).date) }
    }
  }
}
