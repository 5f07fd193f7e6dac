extension PhoneNumber {
  /// The forms in which versions before the numbering plans may have stored the number: with a trunk prefix.
  var formerSpellings: [String] {
    guard let code = NumberingPlans.plan(ofInternational: e164.dropFirst())?.code else { return [] }
    let national = e164.dropFirst(1 + code.count)
    return Self.trunkPrefixes.map { "+" + code + $0 + national }
      .filter { $0.count <= 16 && $0 != e164 && Self.canonical(of: $0) == e164 }
  }

  /// National prefixes of the plans, with those that Mexico has abolished.
  private static let trunkPrefixes = ["0", "1", "8", "06", "01", "80", "044", "045"]
}

extension Identity {
  /// The texts under which the identity may be stored: ``text``, the canonical form of a phone number, and its former
  /// spellings.
  package var spellings: [String] {
    guard case .contact(.phone(let number)) = self else { return [text] }
    let canonical = PhoneNumber(stored: PhoneNumber.canonical(of: number.e164)) ?? number
    return [text] + ([canonical.e164] + canonical.formerSpellings).filter { $0 != text }
  }
}
