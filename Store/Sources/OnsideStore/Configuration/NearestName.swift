/// Finds the name that a misspelt one was meant to be.
enum NearestName {
  /// The candidate with the fewest edits, if they are few enough to be a slip.
  static func of(_ name: String, among candidates: [String]) -> String? {
    let scored = candidates.map { (candidate: $0, edits: edits(from: name, to: $0)) }
    guard let best = scored.min(by: { $0.edits < $1.edits }), best.edits <= max(2, name.count / 3) else { return nil }
    return best.candidate
  }

  /// Levenshtein's distance.
  private static func edits(from left: String, to right: String) -> Int {
    let right = Array(right)
    var row = Array(0...right.count)
    for (line, character) in left.enumerated() {
      var diagonal = row[0]
      row[0] = line + 1
      for column in right.indices {
        let substituted = diagonal + (character == right[column] ? 0 : 1)
        diagonal = row[column + 1]
        row[column + 1] = min(substituted, min(row[column], diagonal) + 1)
      }
    }
    return row[right.count]
  }
}
