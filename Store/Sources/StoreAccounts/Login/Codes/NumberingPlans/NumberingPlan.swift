/// The telephone numbering plan of a region: how its numbers are dialled, and which of them exist.
struct NumberingPlan: Sendable {
  /// Two letters of ISO 3166-1, or one of the codes that libphonenumber adds: `XK`, `AC`, `TA`.
  let region: String
  /// The country code, such as `44`.
  let code: String
  /// Lengths of numbers that a person has: fixed lines, mobiles, personal numbers and internet telephony.
  let personalLengths: Set<Int>
  /// Lengths of all numbers, services included.
  let lengths: Set<Int>
  /// Prefixes of calls abroad, such as `00` or `011`.
  let internationalPrefix: DigitPattern?
  /// Prefixes of calls within the country, with the codes of carriers, such as `0`.
  let nationalPrefix: DigitPattern?
  /// The replacement of the national prefix, such as `9\1`; nil if the prefix is deleted.
  let replacement: String?
  /// The numbers of the plan, without prefixes. Wider than the assigned ranges.
  let numbers: DigitPattern
  /// A number of the plan, mobile if the plan has mobile numbers, without prefixes.
  let example: String

  /// True if the number is one of the plan that a person can have.
  func contains(_ number: String) -> Bool {
    personalLengths.contains(number.count) && numbers.matches(number)
  }
}

extension NumberingPlan {
  /// Returns the number without national prefixes and carrier codes.
  ///
  /// The rules are those of libphonenumber, with two additions: they are applied until they change nothing, and a zero
  /// that the plan's numbers do not begin with is deleted in countries without a national prefix, too. A zero of a
  /// valid number stays, as in Italy.
  func withoutPrefix(_ dialled: String) -> String {
    var number = dialled
    // The bound only ends a plan whose rules would exchange two forms for ever.
    for _ in 0..<8 {
      let shorter = withoutZero(withoutNationalPrefix(number))
      if shorter == number { break }
      number = shorter
    }
    return number
  }

  /// The number without one national prefix, or the number itself if only that is valid or the rest has no possible
  /// length.
  private func withoutNationalPrefix(_ number: String) -> String {
    guard let match = nationalPrefix?.prefixMatch(number) else { return number }
    var rest = match.rest
    if let replacement, match.captures.last ?? nil != nil {
      rest = expanded(replacement, captures: match.captures) + rest
    }
    if numbers.matches(number), !numbers.matches(rest) { return number }
    return lengths.contains(rest.count) || rest.count > (lengths.max() ?? 0) ? rest : number
  }

  private func withoutZero(_ number: String) -> String {
    guard number.hasPrefix("0"), !numbers.matches(number) else { return number }
    let rest = String(number.dropFirst())
    return numbers.matches(rest) ? rest : number
  }

  /// The replacement with the captured digits in place of `\1` and `\2`.
  private func expanded(_ replacement: String, captures: [String?]) -> String {
    captures.enumerated().reduce(replacement) { text, capture in
      text.replacing("\\\(capture.offset + 1)", with: capture.element ?? "")
    }
  }
}
