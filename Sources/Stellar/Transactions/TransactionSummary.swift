import Foundation

extension Transaction {
  /// What the transaction does, in lines of English for whoever shall sign it: the network, who pays, each operation whole and
  /// in its order. What others have written stands in quotes, with everything that could mislead the eye as `\u{…}`.
  public func summary(on network: Network) -> [String] {
    var lines = ["Network: \(network.summary)", "Account: \(source)"]
    lines.append("Fee: at most \(Amount(stroops: Int64(fee))?.description ?? "") XLM")
    lines.append("Sequence number: \(sequence)\(sequence == 0 ? " (no network takes it)" : "")")
    lines.append("Good: \(timeBounds?.summary ?? "at any time")")
    if let memo = memo.summary { lines.append("Memo: \(memo)") }
    return lines + operations.enumerated().map { "\($0 + 1). \($1.summary)" }
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

/// Bytes that others chose, for a person's eye.
package enum Legible {
  /// In quotes if they are text, else in hexadecimal. Controls, marks of direction and everything else without a shape of its
  /// own is written as `\u{…}`.
  package static func quoted(_ bytes: [UInt8]) -> String {
    guard let text = String(validating: bytes, as: UTF8.self) else { return "bytes \(hex(bytes))" }
    return "\"" + text.unicodeScalars.map { $0 == "\"" || $0 == "\\" ? "\\\($0)" : visible($0) }.joined() + "\""
  }

  /// A sentence with words of others in it.
  package static func plain(_ text: String) -> String { text.unicodeScalars.map(visible).joined() }

  static func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  private static func visible(_ scalar: Unicode.Scalar) -> String {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .privateUse, .unassigned, .lineSeparator, .paragraphSeparator:
      "\\u{\(String(scalar.value, radix: 16))}"
    default: String(Character(scalar))
    }
  }
}
