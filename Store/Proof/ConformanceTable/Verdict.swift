/// What came of a case, or of a promise in a column.
public enum Verdict: Hashable, Sendable {
  /// Everything that was tried is as promised.
  case pass
  /// It was tried twice: something was not as promised, what, a line each, and then everything was.
  case flaky([String])
  /// Something is not as promised; what, a line each.
  case fail([String])
  /// There is nothing to try in this column; why not.
  case notApplicable(String)
  /// No case has its id yet.
  case noCase

  /// The word for tables and files.
  public var word: String {
    switch self {
    case .pass: "pass"
    case .flaky: "flaky"
    case .fail: "FAIL"
    case .notApplicable: "n/a"
    case .noCase: "–"
    }
  }

  /// The verdict on a promise of which these cases were tried: one that failed decides, then a flaky one, then one that
  /// passed.
  init(of cases: [Verdict]) {
    let failures = cases.flatMap { if case .fail(let lines) = $0 { lines } else { [String]() } }
    let flaky = cases.flatMap { if case .flaky(let lines) = $0 { lines } else { [String]() } }
    let reasons = cases.compactMap { if case .notApplicable(let reason) = $0 { reason } else { String?.none } }
    if cases.contains(where: { if case .fail = $0 { true } else { false } }) {
      self = .fail(failures)
    } else if cases.contains(where: { if case .flaky = $0 { true } else { false } }) {
      self = .flaky(flaky)
    } else if cases.contains(.pass) {
      self = .pass
    } else if reasons.isEmpty {
      self = .noCase
    } else {
      self = .notApplicable(Set(reasons).sorted().joined(separator: "; "))
    }
  }
}
