/// One thing that a transaction does.
public struct Operation: Sendable, Hashable {
  /// Whose account it acts on; nil for the transaction's own.
  public let source: MuxedAccount?
  /// What it does.
  public let action: Action

  /// One thing that a transaction does.
  public init(_ action: Action, source: MuxedAccount? = nil) {
    self.source = source
    self.action = action
  }

  /// What this wallet signs. Transactions that do other things are refused when they are read.
  public enum Action: Sendable, Hashable {
    /// Makes an account and gives it lumens.
    case createAccount(AccountAddress, startingBalance: Amount)
    /// Pays.
    case payment(to: MuxedAccount, Asset, Amount)
    /// Holds up to `limit` of an asset that was issued; 0 ends it.
    case changeTrust(Asset.Issue, limit: Amount)
    /// Writes up to 64 bytes under a name; nil takes them away.
    case manageData(DataName, value: [UInt8]?)
  }

  /// The name of an account's data: 1 to 64 printable characters of ASCII.
  public struct DataName: Sendable, Hashable, CustomStringConvertible {
    /// The name.
    public let description: String

    /// Nil for what the network does not take.
    public init?(_ text: String) { self.init(bytes: Array(text.utf8)) }

    init?(bytes: [UInt8]) {
      guard (1...64).contains(bytes.count), bytes.allSatisfy({ (0x20..<0x7f).contains($0) }) else { return nil }
      description = String(decoding: bytes, as: UTF8.self)
    }
  }

  static let valueLimit = 64

  var isWellFormed: Bool {
    if case .manageData(_, let value?) = action { return value.count <= Self.valueLimit }
    return true
  }
}
