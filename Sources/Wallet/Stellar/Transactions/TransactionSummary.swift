import Foundation

extension Transaction {
  /// The transaction in lines of English for the user who signs it: the network, the paying account, and each operation
  /// in full and in order. Text by others is in quotes, with every misleading character as `\u{…}`. The first line of a
  /// login challenge (``loginDomain``) says that it is one.
  public func summary(on network: Network) -> [String] {
    var lines = loginSummary + ["Network: \(network.summary)", "Account: \(source)"]
    lines.append("Fee: at most \(Amount(stroops: Int64(fee))?.description ?? "") XLM")
    lines.append("Sequence number: \(sequence)\(sequence == 0 ? " (no network takes it)" : "")")
    lines.append("Good: \(timeBounds?.summary ?? "at any time")")
    if let memo = memo.summary { lines.append("Memo: \(memo)") }
    return lines + operations.enumerated().map { "\($0 + 1). \($1.summary)" }
  }
}

/// Transactions that no network takes, which are signed as a proof.
extension Transaction {
  /// The domain that a login is for, when this is a challenge of SEP-10; nil for any other transaction. The bearer of
  /// the signed challenge is logged in there as the account of the first operation.
  public var loginDomain: String? {
    guard sequence == 0, case .manageData(let name, _)? = operations.first?.action else { return nil }
    let text = name.description
    return text.hasSuffix(Self.loginSuffix) ? String(text.dropLast(Self.loginSuffix.count)) : nil
  }

  private static let loginSuffix = " auth"

  private var loginSummary: [String] {
    guard sequence == 0 else { return [] }
    guard let domain = loginDomain else {
      return ["NO PAYMENT: no network takes this; its signature is a proof, for a login it may be."]
    }
    let name = Legible.quoted(Array(domain.utf8))
    let account = operations.first?.source ?? source
    return ["LOGIN to \(name) (SEP-10): with a signature it logs its bearer in there as \(account). It pays nothing."]
  }
}

extension Network {
  fileprivate var summary: String {
    self == .public ? "\(self): this is real money" : description
  }
}

extension Transaction.TimeBounds {
  fileprivate var summary: String {
    let end = maximum == 0 ? "with no end" : "until \(Self.text(maximum))"
    return minimum == 0 ? end : "from \(Self.text(minimum)) \(end)"
  }

  private static func text(_ seconds: UInt64) -> String {
    // The year 9999 ends then; a later time is shown as the number it is.
    guard seconds < 253_402_300_800 else { return "\(seconds) s after 1970" }
    return Date(timeIntervalSince1970: TimeInterval(seconds)).formatted(.iso8601)
  }
}

extension Memo {
  fileprivate var summary: String? {
    switch self {
    case .none: nil
    case .text(let bytes): "text \(Legible.quoted(bytes))"
    case .id(let id): "number \(id)"
    case .hash(let hash): "hash \(Legible.hex(hash))"
    case .returnHash(let hash): "pays back \(Legible.hex(hash))"
    }
  }
}

extension Operation {
  fileprivate var summary: String {
    let actor = source.map { " (account \($0))" } ?? ""
    switch action {
    case .createAccount(let account, let balance): return "Create the account \(account) with \(balance) XLM\(actor)"
    case .payment(let destination, let asset, let amount): return "Pay \(amount) \(asset) to \(destination)\(actor)"
    case .changeTrust(let issue, let limit):
      return limit.stroops == 0
        ? "Hold \(Asset(issue)) no more\(actor)" : "Hold up to \(limit) \(Asset(issue))\(actor)"
    case .manageData(let name, let value):
      let name = Legible.quoted(Array(name.description.utf8))
      return value.map { "Write \(Legible.quoted($0)) under \(name)\(actor)" } ?? "Take away the data \(name)\(actor)"
    }
  }
}

extension Network: CustomStringConvertible {
  /// Its name in English; the passphrase of one that is not well known.
  public var description: String {
    switch self {
    case .public: "Stellar's public network"
    case .test: "Stellar's test network"
    default: "another one, \(Legible.quoted(Array(passphrase.utf8)))"
    }
  }
}

/// Untrusted bytes as legible text.
public enum Legible {
  /// The bytes in quotes if they are text, else in hexadecimal. Controls, marks of direction and everything else
  /// without a shape of its own (zero width, blanks other than a space, marks without a letter before them) is written
  /// as `\u{…}`.
  public static func quoted(_ bytes: [UInt8]) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { return "bytes \(hex(bytes))" }
    var isFirst = true
    let shown = text.unicodeScalars.map { scalar in
      defer { isFirst = false }
      if isFirst && scalar.properties.isMark { return escaped(scalar) }
      return scalar == "\"" || scalar == "\\" ? "\\\(scalar)" : visible(scalar)
    }
    return "\"" + shown.joined() + "\""
  }

  /// A text that contains untrusted words, without quotes.
  package static func plain(_ text: String) -> String { text.unicodeScalars.map(visible).joined() }

  static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  private static func visible(_ scalar: Unicode.Scalar) -> String {
    scalar.properties.hasShape || scalar == " " ? String(Character(scalar)) : escaped(scalar)
  }

  private static func escaped(_ scalar: Unicode.Scalar) -> String { "\\u{\(String(scalar.value, radix: 16))}" }
}

extension Unicode.Scalar.Properties {
  fileprivate var isMark: Bool { [.nonspacingMark, .spacingMark, .enclosingMark].contains(generalCategory) }

  /// Default ignorable are, for one, the fillers of Hangul and variation selectors, which are letters and marks
  /// otherwise.
  fileprivate var hasShape: Bool {
    switch generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator, .spaceSeparator:
      false
    default: !isDefaultIgnorableCodePoint && !isWhitespace && !isBlankBraille
    }
  }

  private var isBlankBraille: Bool { name == "BRAILLE PATTERN BLANK" }
}
