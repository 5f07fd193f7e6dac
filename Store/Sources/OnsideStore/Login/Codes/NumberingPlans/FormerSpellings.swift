extension PhoneNumber {
  /// The forms in which versions before the numbering plans may have stored the number: with a trunk prefix.
  var formerSpellings: [String] {
    guard let code = NumberingPlans.plan(ofInternational: e164.dropFirst())?.code else { return [] }
    let national = e164.dropFirst(1 + code.count)
    return Self.trunkPrefixes.map { "+" + code + $0 + national }
      .filter { $0.count <= 16 && $0 != e164 && Self.canonical(of: $0) == e164 }
  }

  /// The national prefixes of all plans, with those that Mexico has abolished.
  private static let trunkPrefixes = ["0", "1", "8", "06", "01", "044", "045"]
}

extension Identity {
  /// The texts under which the identity may be stored: ``text``, and the former spellings of a phone number.
  var spellings: [String] {
    guard case .contact(.phone(let number)) = self else { return [text] }
    return [text] + number.formerSpellings
  }
}
