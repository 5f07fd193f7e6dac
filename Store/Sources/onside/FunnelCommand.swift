import ArgumentParser
import Foundation
import OnsideStore
import StoreAccounts
import StoreAnalytics
import StoreBase

/// How many installations went through a series of events.
struct FunnelCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "funnel",
    abstract: "Counts the installations that went through a series of events, in order.",
    discussion: "By country and week of the first event. Example: onside funnel app_opened purchase_completed --app ID")

  @OptionGroup var options: StoreOptions
  @Argument(help: "The names of the events, in order; compared without case.") var steps: [String]
  @Option(help: ArgumentHelp("The app.", valueName: "id")) var app: String
  @Option(help: ArgumentHelp("How long the whole way may take, such as 12h or 7d.", valueName: "time"))
  var window = "7d"
  @OptionGroup var period: PeriodOptions
  @Flag(help: "Print JSON.") var json = false
  @Option(help: ArgumentHelp("Write a page with a plot into a file.", valueName: "file")) var html: String?

  func run() async throws {
    guard let seconds = window.seconds, seconds > 0 else {
      throw CommandFailure("--window: expected a number and s, m, h, d or w, such as 7d, got \"\(window)\"")
    }
    let start = try period.start ?? .distantPast
    let range = start..<max(try period.end ?? .distantFuture, start)
    try await options.withStore { core in
      let app = try core.registered(app)
      let funnel = Funnel(steps: steps, window: seconds)
      let report = try await FunnelQuery(app: app.id, funnel: funnel, range: range).report(core.dependencies.database)
      if let html { try write(report, to: html, at: core.dependencies.clock.now()) }
      try json ? printJSON(report) : printText(report)
    }
  }

  private func write(_ report: FunnelReport, to path: String, at now: Date) throws {
    do {
      try FunnelPage(report, madeAt: "Made \(now.ISO8601Format()).").html
        .write(toFile: path, atomically: true, encoding: .utf8)
    } catch {
      throw CommandFailure("--html: expected a file that can be written, but \(path): \(error.localizedDescription)")
    }
  }

  private func printJSON(_ report: FunnelReport) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    print(String(decoding: try encoder.encode(report), as: UTF8.self))
  }

  private func printText(_ report: FunnelReport) {
    var all = Table(["STEP", "INSTALLATIONS", "OF ALL"])
    for (step, count) in zip(report.steps, report.counts) { all.add([step, "\(count)", share(report, count: count)]) }
    all.show(orElse: "")
    for (title, groups) in [("COUNTRY", report.countries), ("WEEK", report.weeks)] where !groups.isEmpty {
      print()
      var table = Table([title] + report.steps)
      for group in groups { table.add([group.name] + group.counts.map(String.init)) }
      table.show(orElse: "")
    }
  }

  private func share(_ report: FunnelReport, count: Int) -> String {
    let permille = report.permille(count, of: report.counts)
    return "\(permille / 10).\(permille % 10) %"
  }
}
