/// Comma-separated values (RFC 4180).
package enum CSV {
  /// The lines of a text, and in each its cells. Nil when a quote is not closed, or something follows a closing one.
  package static func rows(_ text: String) -> [[String]]? {
    var (rows, row, cell): ([[String]], [String], String) = ([], [], "")
    var (isQuoted, wasQuoted) = (false, false)
    // A line break of two characters is one Character.
    for character in text.drop(while: { $0 == "\u{FEFF}" }) {
      switch character {
      case "\"" where isQuoted: (isQuoted, wasQuoted) = (false, true)
      case "\"" where wasQuoted:
        cell.append(character)
        (isQuoted, wasQuoted) = (true, false)
      case "\"" where cell.isEmpty: isQuoted = true
      case _ where isQuoted: cell.append(character)
      case ",",
        _ where character.isNewline:
        row.append(cell)
        (cell, wasQuoted) = ("", false)
        guard character != "," else { continue }
        rows.append(row)
        row = []
      default:
        guard !wasQuoted else { return nil }
        cell.append(character)
      }
    }
    guard !isQuoted else { return nil }
    if !cell.isEmpty || !row.isEmpty || wasQuoted { rows.append(row + [cell]) }
    return rows
  }

  /// A line of cells, which are quoted where they have to be.
  package static func line(_ cells: [String]) -> String {
    cells.map { cell in
      let isPlain = !cell.contains { $0 == "," || $0 == "\"" || $0.isNewline }
      return isPlain ? cell : "\"\(cell.replacing("\"", with: "\"\""))\""
    }.joined(separator: ",") + "\n"
  }
}
