import Sodium

/// A link that asks a wallet to sign (SEP-7): `web+stellar:tx?…` or `web+stellar:pay?…`.
///
/// A link is refused when it names an origin without a signature or has a signature without an origin, when a parameter
/// is unknown or repeated, when the message has more than 300 characters, when the callback is not https, and when more
/// than seven links are nested. Whether a signature is right is for ``isSigned(by:)``, with the key that the origin's
/// own `stellar.toml` names as `URI_REQUEST_SIGNING_KEY`.
public struct SigningLink: Sendable, Hashable {
  /// What shall be signed.
  public let request: Request
  /// Where the signed transaction goes, an https address; nil for the network itself.
  public let callback: String?
  /// The message of the link's author, up to 300 characters. It is not verified.
  public let message: String?
  /// The network to sign for; the public one unless the link says another.
  public let network: Network
  /// The origin that the link claims. It is not to be trusted unless ``isSigned(by:)`` holds for that domain's key.
  public let originDomain: String?
  /// The signature of the link's author, 64 bytes.
  public private(set) var signature: [UInt8]?
  /// The links that led to this one, the nearest first, up to seven.
  public let chain: [SigningLink]
  /// The link without its signature.
  let unsignedText: String

  /// What shall be signed.
  public enum Request: Sendable, Hashable {
    /// A transaction that is there already.
    case transaction(TransactionRequest)
    /// A payment that the wallet shall write.
    case payment(PaymentRequest)
  }

  /// A transaction to sign.
  public struct TransactionRequest: Sendable, Hashable {
    /// It, with the signatures it has.
    public let envelope: TransactionEnvelope
    /// Fields that the wallet shall fill first (SEP-11 names, as the link has them); it must not sign while there are
    /// any.
    public let replacements: String?
    /// Which account shall sign; nil for any that can.
    public let account: AccountAddress?

    /// A transaction to sign.
    public init(_ envelope: TransactionEnvelope, replacements: String? = nil, account: AccountAddress? = nil) {
      self.envelope = envelope
      self.replacements = replacements
      self.account = account
    }
  }

  /// A payment to write and sign.
  public struct PaymentRequest: Sendable, Hashable {
    /// The account that is paid.
    public let destination: MuxedAccount
    /// How much; nil if the person shall say.
    public let amount: Amount?
    /// The asset that is paid.
    public let asset: Asset
    /// The note that goes with it.
    public let memo: Memo

    /// A payment to write and sign.
    public init(to destination: MuxedAccount, amount: Amount? = nil, asset: Asset = .native, memo: Memo = .none) {
      self.destination = destination
      self.amount = amount
      self.asset = asset
      self.memo = memo
    }
  }

  static let scheme = "web+stellar:"
  static let messageLimit = 300
  static let chainLimit = 7
  static let textLimit = 200_000

  init(
    _ request: Request, callback: String?, message: String?, network: Network, originDomain: String?,
    signature: [UInt8]?,
    chain: [SigningLink], unsignedText: String
  ) {
    self.request = request
    self.callback = callback
    self.message = message
    self.network = network
    self.originDomain = originDomain
    self.signature = signature
    self.chain = chain
    self.unsignedText = unsignedText
  }

  /// The whole link.
  public var text: String {
    guard let signature else { return unsignedText }
    return unsignedText + "&signature=" + PercentCoding.encode(Base64.encode(signature))
  }

  /// Whether the link was signed by this key. The links that led to it have signatures of their own.
  public func isSigned(by key: AccountAddress) -> Bool {
    signature.map { key.isValid($0, of: Self.payload(unsignedText)) } ?? false
  }

  /// The same link, signed.
  /// - Throws: ``SigningLinkError`` if it does not say where it comes from.
  public func signed(with pair: SigningKeyPair) throws(SigningLinkError) -> SigningLink {
    guard originDomain != nil else { throw SigningLinkError("A link that is signed says its origin_domain.") }
    var link = self
    link.signature = pair.signature(of: Self.payload(unsignedText))
    return link
  }

  private static func payload(_ text: String) -> [UInt8] {
    Array(repeating: 0, count: 35) + [4] + Array("stellar.sep.7 - URI Scheme".utf8) + Array(text.utf8)
  }
}

/// Why a text is not a valid signing link.
public struct SigningLinkError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What was expected and what came.
  public let description: String

  init(_ description: String) { self.description = description }
}
