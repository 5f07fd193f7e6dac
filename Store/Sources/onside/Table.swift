/// Prints rows in columns as wide as their longest entry.
struct Table {
  private var rows: [[String]]

  init(_ header: [String]) { rows = [header] }

  mutating func add(_ row: [String]) { rows.append(row.map(\.printable)) }

  /// Prints the table, or the sentence when there are no rows.
  func show(orElse nothing: String) {
    guard rows.count > 1 else { return print(nothing) }
    let widths = rows[0].indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
    for row in rows {
      let cells = zip(row, widths).map { $0 + String(repeating: " ", count: $1 - $0.count) }
      print(cells.joined(separator: "  ").trimmingSuffix { $0 == " " })
    }
  }
}

extension String {
  func trimmingSuffix(while isTrimmed: (Character) -> Bool) -> Substring {
    self[..<(lastIndex { !isTrimmed($0) }.map { index(after: $0) } ?? startIndex)]
  }
}
