/// An account of the ledger, such as `app:io.example.lumen`, as accountants group it.
public struct LedgerAccount: Sendable, Hashable {
  /// What an account's balance is: something that the store has, owes, earned or spent.
  public enum Kind: String, Sendable, Hashable {
    /// The store has it: money that a payment provider holds for the store.
    case asset = "A"
    /// The store owes it: to an app, a buyer or a tax office.
    case liability = "L"
    /// The store earned it.
    case revenue = "R"
    /// The store spent it.
    case expense = "X"
  }

  /// The name in the ledger's rows.
  public let name: String
  /// What its balance is.
  public let kind: Kind
  /// The hierarchical name in plain-text accounting: `liabilities:apps:io.example.lumen`.
  public let path: String

  /// The account with a name that the ledger's rows have. Throws ``LedgerExportError/unknownAccount(_:)`` for any
  /// other.
  public init(_ name: String) throws(LedgerExportError) {
    self.name = name
    guard name.utf8.allSatisfy(Self.isPlain) else { throw .unknownAccount(name) }
    if let (kind, path) = Self.single[name] {
      (self.kind, self.path) = (kind, path)
      return
    }
    guard let colon = name.firstIndex(of: ":"), let (kind, prefix) = Self.groups[String(name[..<colon])] else {
      throw .unknownAccount(name)
    }
    let member = name[name.index(after: colon)...]
    guard !member.isEmpty else { throw .unknownAccount(name) }
    (self.kind, path) = (kind, "\(prefix)\(member)")
  }

  private static let single: [String: (Kind, String)] = [
    Ledger.commission: (.revenue, "revenues:commission"),
    Ledger.refundsDue: (.liability, "liabilities:refunds-due"),
    Ledger.providerFees: (.expense, "expenses:provider-fees"),
    Ledger.payouts: (.liability, "liabilities:payouts"),
    Ledger.bank: (.asset, "assets:bank"),
  ]

  /// Accounts of which there are several, by the first part of their names.
  private static let groups: [String: (Kind, String)] = [
    "app": (.liability, "liabilities:apps:"),
    "provider": (.asset, "assets:providers:"),
    "tax": (.liability, "liabilities:tax:"),
  ]

  /// Whether a byte means nothing else in the format: spaces end an account's name, a semicolon begins a comment.
  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: ":"), UInt8(ascii: "."), UInt8(ascii: "-"),
      UInt8(ascii: "_"):
      true
    default: false
    }
  }
}

/// Why the ledger cannot be exported.
public enum LedgerExportError: Error, Sendable, Equatable, CustomStringConvertible {
  /// A row has an account of which this program does not know whether it is an asset, a liability or a revenue.
  case unknownAccount(String)

  /// What was expected, what came, and what to do.
  public var description: String {
    switch self {
    case .unknownAccount(let name):
      "expected an account of the ledger that this program knows, got \"\(name)\"; use the version that wrote it"
    }
  }
}
