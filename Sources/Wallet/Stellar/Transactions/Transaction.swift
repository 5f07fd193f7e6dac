import Sodium

/// A transaction of an account: all of its operations are applied, or none.
public struct Transaction: Sendable, Hashable {
  /// The account that pays the fee and whose sequence number is used.
  public let source: MuxedAccount
  /// The most that it may cost, in stroops.
  public let fee: UInt32
  /// One more than the account's last; a challenge (SEP-10) has 0, which no network takes.
  public let sequence: Int64
  /// When it may happen; nil for any time.
  public let timeBounds: TimeBounds?
  /// A note for the recipient.
  public let memo: Memo
  /// The operations, 1 to 100.
  public let operations: [Operation]

  /// From when to when, in seconds since 1970, both included.
  public struct TimeBounds: Sendable, Hashable {
    /// 0 for no beginning.
    public let minimum: UInt64
    /// 0 for no end.
    public let maximum: UInt64

    /// Nil if it ends before it begins.
    public init?(minimum: UInt64, maximum: UInt64) {
      guard maximum == 0 || minimum <= maximum else { return nil }
      self.minimum = minimum
      self.maximum = maximum
    }
  }

  static let operationLimit: ClosedRange<UInt32> = 1...100

  /// - Throws: ``XDRError`` for what no network takes: no operation or more than 100, a negative sequence number, a
  ///   memo or a data value that is too long.
  public init(
    source: MuxedAccount, fee: UInt32, sequence: Int64, timeBounds: TimeBounds? = nil, memo: Memo = .none,
    operations: [Operation]
  ) throws(XDRError) {
    guard Self.operationLimit.contains(UInt32(clamping: operations.count)) else {
      throw XDRError("Expected 1 to 100 operations, got \(operations.count).")
    }
    guard sequence >= 0 else { throw XDRError("Expected a sequence number of 0 or more, got \(sequence).") }
    guard memo.isWellFormed else { throw XDRError("Expected a text of up to 28 bytes, or a hash of 32, as memo.") }
    guard operations.allSatisfy(\.isWellFormed) else { throw XDRError("Expected data values of up to 64 bytes.") }
    self.source = source
    self.fee = fee
    self.sequence = sequence
    self.timeBounds = timeBounds
    self.memo = memo
    self.operations = operations
  }

  /// The hash that is signed: SHA-256 of the network's id, the envelope's type and the transaction, 32 bytes.
  public func hash(on network: Network) -> [UInt8] {
    var writer = XDRWriter()
    writer.opaque(network.id)
    writer.uint32(TransactionEnvelope.Form.current.rawValue)
    encode(to: &writer)
    return Hash.sha256(writer.bytes)
  }
}
