import Sodium

extension SigningLink {
  /// Writes a link.
  /// - Parameter previous: the link that led to this one; for transactions alone.
  /// - Throws: ``SigningLinkError`` for what ``init(_:)`` would refuse.
  public init(
    _ request: Request, callback: String? = nil, message: String? = nil, network: Network = .public,
    originDomain: String? = nil, after previous: SigningLink? = nil, signedBy pair: SigningKeyPair? = nil
  ) throws(SigningLinkError) {
    var fields: [(String, String?)] = []
    switch request {
    case .transaction(let request): fields = Self.fields(request, callback: callback) + [("chain", previous?.text)]
    case .payment(let request): fields = Self.fields(request, callback: callback)
    }
    guard originDomain == nil || pair != nil else {
      throw SigningLinkError("A link with an origin_domain has to be signed.")
    }
    fields += [
      ("msg", message),
      ("network_passphrase", network == .public ? nil : network.passphrase), ("origin_domain", originDomain),
    ]
    let query = fields.compactMap { name, value in value.map { "\(name)=\(PercentCoding.encode($0))" } }
    let operation = if case .transaction = request { "tx" } else { "pay" }
    let draft = SigningLink(
      request, callback: callback, message: message, network: network, originDomain: originDomain, signature: nil,
      chain: [],
      unsignedText: "\(Self.scheme)\(operation)?\(query.joined(separator: "&"))")
    try self.init(try pair.map { (pair) throws(SigningLinkError) in try draft.signed(with: pair) }?.text ?? draft.text)
  }

  // The order is that of other wallets.
  private static func fields(_ request: TransactionRequest, callback: String?) -> [(String, String?)] {
    [
      ("xdr", request.envelope.base64), ("callback", callback.map { "url:" + $0 }), ("replace", request.replacements),
      ("pubkey", request.account?.text),
    ]
  }

  private static func fields(_ request: PaymentRequest, callback: String?) -> [(String, String?)] {
    let memo: (String, String?)? =
      switch request.memo {
      case .none: nil
      case .text(let bytes): ("MEMO_TEXT", String(validating: bytes, as: UTF8.self) ?? "")
      case .id(let id): ("MEMO_ID", "\(id)")
      case .hash(let hash): ("MEMO_HASH", Base64.encode(hash))
      case .returnHash(let hash): ("MEMO_RETURN", Base64.encode(hash))
      }
    return [
      ("destination", request.destination.text), ("amount", request.amount?.description),
      ("asset_code", request.asset.issue?.code), ("asset_issuer", request.asset.issue?.issuer.text), ("memo", memo?.1),
      ("memo_type", memo?.0), ("callback", callback.map { "url:" + $0 }),
    ]
  }
}
