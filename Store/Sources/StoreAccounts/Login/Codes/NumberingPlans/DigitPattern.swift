import Foundation

/// A regular expression of a numbering plan over the ASCII digits of a number.
struct DigitPattern: Sendable {
  /// A match at the start of a number.
  struct Match: Sendable {
    /// The digits behind the match.
    let rest: String
    /// Digits of each captured group; nil for a group that the match does not pass.
    let captures: [String?]
  }

  private let expression: NSRegularExpression
  private let wholeExpression: NSRegularExpression

  /// Compiles an expression; nil if it is none.
  init?(_ text: String) {
    guard let expression = try? NSRegularExpression(pattern: text),
      let wholeExpression = try? NSRegularExpression(pattern: "(?:\(text))$")
    else { return nil }
    self.expression = expression
    self.wholeExpression = wholeExpression
  }

  /// True if the expression matches the whole number.
  func matches(_ number: String) -> Bool {
    wholeExpression.firstMatch(in: number, options: .anchored, range: number.wholeRange) != nil
  }

  /// The match at the start of the number, or nil.
  func prefixMatch(_ number: String) -> Match? {
    guard let match = expression.firstMatch(in: number, options: .anchored, range: number.wholeRange) else {
      return nil
    }
    let captures = (0..<expression.numberOfCaptureGroups).map { index in
      Range(match.range(at: index + 1), in: number).map { String(number[$0]) }
    }
    return Match(rest: String(number.dropFirst(match.range.length)), captures: captures)
  }
}

extension String {
  fileprivate var wholeRange: NSRange { NSRange(startIndex..., in: self) }
}
