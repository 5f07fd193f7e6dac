import Sodium

/// A transaction and its signatures, as it travels.
public struct TransactionEnvelope: Sendable, Hashable {
  /// What is signed.
  public let transaction: Transaction
  /// Up to 20.
  public private(set) var signatures: [Signature]
  let form: Form

  /// A signature, and which key it is of.
  public struct Signature: Sendable, Hashable {
    /// The last four bytes of the key.
    public let hint: [UInt8]
    /// 64 bytes if it is one of Ed25519.
    public let bytes: [UInt8]
  }

  /// How it is written.
  enum Form: UInt32, Sendable, Hashable {
    /// Until 2020: without muxed accounts. It is read, and signed as the current form.
    case first = 0
    case current = 2
  }

  static let signatureLimit = 20
  /// 100 operations and 20 signatures have 33,000 bytes at most.
  static let byteLimit = 40_000

  /// An envelope without signatures.
  public init(_ transaction: Transaction) {
    self.transaction = transaction
    signatures = []
    form = .current
  }

  /// Reads an envelope.
  /// - Throws: ``XDRError`` for what this wallet does not sign (fee bumps, other operations, other preconditions) and
  ///   for any bytes that are not what ``bytes`` would be.
  public init(bytes: [UInt8]) throws(XDRError) {
    guard bytes.count <= Self.byteLimit else {
      throw XDRError("Expected at most \(Self.byteLimit) bytes, got \(bytes.count).")
    }
    var reader = XDRReader(bytes)
    form = try Self.form(&reader)
    switch form {
    case .first:
      let source = MuxedAccount(try AccountAddress(bareFrom: &reader))
      transaction = try Transaction(source: source, from: &reader)
    case .current: transaction = try Transaction(from: &reader)
    }
    signatures = try reader.array(0...UInt32(Self.signatureLimit), what: "signatures") { (reader) throws(XDRError) in
      let hint = try reader.opaque(4, what: "a signature's hint")
      return Signature(hint: hint, bytes: try reader.variable(atMost: 64, "a signature"))
    }
    try reader.finish()
    guard self.bytes == bytes else { throw XDRError("The bytes are not how this transaction is written.") }
  }

  /// Reads an envelope in base64, as wallets pass it on.
  /// - Throws: ``XDRError``.
  public init(base64 text: some StringProtocol) throws(XDRError) {
    guard text.utf8.count <= Self.byteLimit * 4 / 3 + 4, let bytes = Base64.decode(text) else {
      throw XDRError("Expected a transaction in base64.")
    }
    try self.init(bytes: bytes)
  }

  private static func form(_ reader: inout XDRReader) throws(XDRError) -> Form {
    let type = try reader.uint32("an envelope")
    if let form = Form(rawValue: type) { return form }
    throw XDRError(
      type == 5 ? "Fee bumps are not signed here." : "Expected a transaction, got an envelope of type \(type).")
  }

  /// Its XDR.
  public var bytes: [UInt8] {
    var writer = XDRWriter()
    writer.uint32(form.rawValue)
    switch form {
    case .first:
      writer.opaque(transaction.source.account.publicKey)
      transaction.encodeRest(to: &writer)
    case .current: transaction.encode(to: &writer)
    }
    writer.array(signatures) { writer, signature in
      writer.opaque(signature.hint)
      writer.variable(signature.bytes)
    }
    return writer.bytes
  }

  /// Its XDR in base64.
  public var base64: String { Base64.encode(bytes) }

  /// Adds a signature for one network.
  /// - Throws: ``XDRError`` if the key has signed already, or 20 have.
  public mutating func sign(with pair: SigningKeyPair, on network: Network) throws(XDRError) {
    guard signatures.count < Self.signatureLimit else { throw XDRError("A transaction has at most 20 signatures.") }
    guard !isSigned(by: pair.account, on: network) else { throw XDRError("\(pair.account) has signed already.") }
    let signature = pair.signature(of: transaction.hash(on: network))
    signatures.append(Signature(hint: pair.account.hint, bytes: signature))
  }

  /// Whether one of the signatures is the account's, for this network.
  public func isSigned(by account: AccountAddress, on network: Network) -> Bool {
    !signatures(by: account, on: network).isEmpty
  }

  /// The account's signatures for this network.
  func signatures(by account: AccountAddress, on network: Network) -> [Signature] {
    let hash = transaction.hash(on: network)
    return signatures.filter { $0.hint == account.hint && account.isValid($0.bytes, of: hash) }
  }
}
