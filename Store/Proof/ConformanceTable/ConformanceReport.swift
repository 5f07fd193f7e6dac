import Foundation

/// The table of a run: promises by columns.
public struct ConformanceReport: Sendable, Encodable {
  /// One promise in one column.
  public struct Cell: Sendable, Encodable {
    /// The column's letter.
    public let column: String
    /// `pass`, `flaky`, `FAIL`, `n/a`, or `–` where no case has the id.
    public let verdict: String
    /// What is not as promised, or was not at first, or why there is nothing to try.
    public let notes: [String]
  }

  /// One promise.
  public struct Row: Sendable, Encodable {
    /// Its id.
    public let id: String
    /// Its text.
    public let promise: String
    /// What came of it in each column that was run.
    public let cells: [Cell]
  }

  /// The columns that were run.
  public let columns: [Column]
  /// One row for each promise, in the order of the document.
  public let rows: [Row]
  /// How many cases were tried, over all columns.
  public let cases: Int
  /// How long all of it took, in seconds.
  public let seconds: Double

  /// Puts runs together.
  public init(_ runs: [TestRun], seconds: Double, behaviours: [Behaviour] = Behaviour.all) {
    columns = runs.map(\.column)
    cases = runs.map { $0.outcomes.count { if case .notApplicable = $0.verdict { false } else { true } } }.reduce(0, +)
    self.seconds = seconds
    rows = behaviours.map { behaviour in
      Row(
        id: behaviour.id, promise: behaviour.promise,
        cells: runs.map { run in
          let verdict = Verdict(
            of: run.outcomes.filter { Behaviour.ids(inName: $0.name).contains(behaviour.id) }.map(\.verdict))
          return Cell(column: run.column.letter, verdict: verdict.word, notes: verdict.notes)
        })
    }
  }

  /// The ids that a case passed for in some column.
  public var covered: [String] {
    rows.filter { $0.cells.contains { [Verdict.pass.word, Verdict.flaky([]).word].contains($0.verdict) } }.map(\.id)
  }

  /// True when nothing failed.
  public var isClean: Bool { !rows.contains { $0.cells.contains { !$0.failures.isEmpty } } }
}

extension ConformanceReport.Cell {
  /// What is not as promised.
  public var failures: [String] { verdict == Verdict.fail([]).word ? notes : [] }

  /// What was not as promised, and was when its case was tried once more by itself.
  public var flaky: [String] { verdict == Verdict.flaky([]).word ? notes : [] }
}

extension Verdict {
  /// What is not as promised, or was not at first, or why there is nothing to try.
  var notes: [String] {
    switch self {
    case .pass, .noCase: []
    case .flaky(let lines): lines
    case .fail(let lines): lines.isEmpty ? ["failed without a word"] : lines
    case .notApplicable(let reason): [reason]
    }
  }
}
