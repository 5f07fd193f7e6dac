public import ArgumentParser
import ConformanceTable
import Foundation
import OnsideConformance
public import StoreTestSupport

extension TestEngine: ExpressibleByArgument {
  /// The columns whose stores keep their data there.
  var columns: [Column] { self == .postgres ? [.postgres] : Column.withoutServer }
}

/// Runs the cases and prints the table.
struct RunCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Run the cases and print the table, promise by column; exit 1 when a case fails.",
    discussion: "Failures in the columns of --events and --recorded are shown; they do not change the exit status.")

  @Option(
    help: """
      The columns, by letter: L is the SDK on a local file, S against the store over HTTP, W pages in WebKitGTK, B \
      pages in Chromium, P two stores on PostgreSQL. Without it, those of the database.
      """)
  var columns: String?

  @Option(help: "What the stores keep their data in: sqlite (columns L, S, W, B) or postgres (column P).")
  var database: TestEngine?

  @Option(help: "Only the cases with this text in their names, for example QUE-8.")
  var filter: String?

  @Option(help: "Look at this store from outside instead, for example http://127.0.0.1:8080 (column R).")
  var store: String?

  @Option(help: "With --store: an app that it knows, with loopback return addresses.")
  var app: String?

  @Option(help: "Adds column T: what `swift test --event-stream-output-path FILE` wrote. Can be given more than once.")
  var events: [String] = []

  @Option(
    help: """
      Adds a column that another run wrote with --event-stream: LETTER=FILE. Can be given more than once, also for the \
      same column, with what was tried once more.
      """)
  var recorded: [String] = []

  @Option(help: "Write the event stream of each column, X, to PREFIX-X.jsonl.")
  var eventStream: String?

  @Option(help: "Write the report as JSON to this file.")
  var json: String?

  @Option(help: "Write the report as a page to this file.")
  var html: String?

  func run() async throws {
    let clock = ContinuousClock()
    let start = clock.now
    var runs: [TestRun] = []
    if let store {
      runs = [try await run(against: store)]
    } else {
      for column in try chosenColumns() { runs.append(try await run(in: column)) }
    }
    try NoSuchCase.check(runs, filter: filter)
    let failed = runs.filter { !$0.passed }
    runs += try recordedRuns()
    if !events.isEmpty { runs.append(try TestRun(recorded: events.map { URL(filePath: $0) })) }
    let report = ConformanceReport(runs, seconds: (clock.now - start) / .seconds(1))
    print(report.text(isWhole: filter == nil && store == nil))
    if let json { try report.json().write(to: URL(filePath: json)) }
    if let html { try Data(report.html().utf8).write(to: URL(filePath: html)) }
    if report.isClean, !failed.isEmpty {
      let columns = failed.map(\.column.letter).joined(separator: ", ")
      print("Column \(columns) FAILED outside of its cases; --event-stream PREFIX tells where.")
    }
    guard failed.isEmpty else { throw ExitCode.failure }
  }

  private func run(in column: Column) async throws -> TestRun {
    let file = eventStream.map { URL(filePath: "\($0)-\(column.letter).jsonl") }
    return try await TestRun(in: column, filter: filter, eventStream: file)
  }

  private func run(against store: String) async throws -> TestRun {
    guard let address = URL(string: store), ["http", "https"].contains(address.scheme), address.host() != nil else {
      throw ValidationError("Expected a store's address such as http://127.0.0.1:8080, got “\(store)”.")
    }
    return try await RunningStore.$current.withValue(RunningStore(address: address, app: app)) {
      try await TestRun(in: .running, filter: filter)
    }
  }

  private func recordedRuns() throws -> [TestRun] {
    let files = try Dictionary(grouping: recorded.map(recordedFile), by: \.column)
    return try Column.all.compactMap { column in
      try files[column].map { try TestRun(in: column, recorded: $0.map(\.file)) }
    }
  }

  private func recordedFile(_ text: String) throws -> (column: Column, file: URL) {
    let (letter, file) = (text.prefix { $0 != "=" }, text.drop { $0 != "=" }.dropFirst())
    guard let column = Column(letter: String(letter)), !file.isEmpty else {
      throw ValidationError("Expected a column and its file, such as P=report-P.jsonl, got “\(text)”.")
    }
    return (column, URL(filePath: String(file)))
  }

  private func chosenColumns() throws -> [Column] {
    let offered = database?.columns ?? Column.all
    guard let columns else { return database?.columns ?? Column.withoutServer }
    return try columns.split(separator: ",").map { letter in
      let column = Column(letter: letter.trimmingCharacters(in: .whitespaces))
      guard let column, offered.contains(column) else {
        let known = offered.map { "\($0.letter) (\($0.name))" }.joined(separator: ", ")
        throw ValidationError("There is no column “\(letter)”. There are: \(known).")
      }
      return column
    }
  }
}
