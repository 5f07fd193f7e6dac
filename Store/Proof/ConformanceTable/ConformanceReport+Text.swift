import Foundation

extension ConformanceReport {
  /// The table for a terminal, with the reasons below it.
  ///
  /// - Parameter isWhole: whether every case was tried, so that ids without one are worth naming.
  public func text(isWhole: Bool) -> String {
    var lines = ["id      " + columns.map { $0.letter.padded(6) }.joined() + "promise"]
    for row in rows where row.cells.contains(where: { $0.verdict != Verdict.noCase.word }) {
      lines.append(row.id.padded(8) + row.cells.map { $0.verdict.padded(6) }.joined() + row.promise.shortened(to: 90))
    }
    lines += reasons + flaky + failures
    let missing = rows.filter { $0.cells.allSatisfy { $0.verdict == Verdict.noCase.word } }.map(\.id)
    lines.append("")
    if isWhole, !missing.isEmpty { lines.append("No case yet: " + missing.joined(separator: " ")) }
    lines.append(summary)
    return lines.joined(separator: "\n")
  }

  /// What came of all, in one line.
  public var summary: String {
    let time = seconds.formatted(.number.precision(.fractionLength(1)))
    return "\(covered.count) of \(rows.count) ids covered, \(cases) cases in \(time) s: "
      + (isClean ? "no failure" : "FAILED")
  }

  /// Why cells are not applicable, each reason once.
  private var reasons: [String] {
    var ids: [String: [String]] = [:]
    for row in rows {
      for cell in row.cells where cell.verdict == Verdict.notApplicable("").word {
        ids["\(cell.column): \(cell.notes.joined(separator: "; "))", default: []].append(row.id)
      }
    }
    guard !ids.isEmpty else { return [] }
    return ["", "Not applicable:"]
      + ids.sorted { $0.key < $1.key }.map { "  \($0.key) (\($0.value.joined(separator: " ")))" }
  }

  private var flaky: [String] {
    rows.flatMap { row in
      row.cells.flatMap { cell in
        cell.flaky.map { "\nFLAKY \(row.id) in \(cell.column): \($0)\n  tried once more: passed" }
      }
    }
  }

  private var failures: [String] {
    rows.flatMap { row in
      row.cells.flatMap { cell in cell.failures.map { "\nFAIL \(row.id) in \(cell.column): \($0)" } }
    }
  }
}

extension String {
  fileprivate func padded(_ width: Int) -> String {
    self + String(repeating: " ", count: max(1, width - count))
  }

  fileprivate func shortened(to width: Int) -> String { count <= width ? self : prefix(width - 1) + "…" }
}
