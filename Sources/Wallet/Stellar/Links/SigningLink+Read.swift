import Sodium

extension SigningLink {
  /// Reads a link.
  /// - Throws: ``SigningLinkError``.
  public init(_ text: String) throws(SigningLinkError) {
    guard text.utf8.count <= Self.textLimit else { throw SigningLinkError("The link is too long.") }
    var (link, next) = try Self.one(text)
    var chain: [SigningLink] = []
    while let text = next {
      guard chain.count < Self.chainLimit else { throw SigningLinkError("More than seven links are nested.") }
      let (earlier, before) = try Self.one(text)
      chain.append(earlier)
      next = before
    }
    link = SigningLink(
      link.request, callback: link.callback, message: link.message, network: link.network,
      originDomain: link.originDomain,
      signature: link.signature, chain: chain, unsignedText: link.unsignedText)
    self = link
  }

  /// A link, and the text of the one that led to it.
  private static func one(_ text: String) throws(SigningLinkError) -> (SigningLink, next: String?) {
    guard text.hasPrefix(scheme), let mark = text.firstIndex(of: "?") else {
      throw SigningLinkError("Expected web+stellar:tx?… or web+stellar:pay?….")
    }
    var fields = try Fields(text[text.index(after: mark)...])
    let request: Request
    var next: String?
    switch text[..<mark].dropFirst(scheme.count) {
    case "tx":
      request = .transaction(try transactionRequest(&fields))
      next = fields.take("chain")
    case "pay": request = .payment(try paymentRequest(&fields))
    case let operation: throw SigningLinkError("Expected a link to tx or pay, got \"\(operation)\".")
    }
    return (try link(request, fields: &fields, text: text), next)
  }

  private static func link(_ request: Request, fields: inout Fields, text: String) throws(SigningLinkError)
    -> SigningLink
  {
    let callback = try fields.take("callback").map(callback)
    let message = fields.take("msg")
    guard message?.count ?? 0 <= messageLimit else {
      throw SigningLinkError("The message has more than 300 characters.")
    }
    let network = fields.take("network_passphrase").map(Network.init) ?? .public
    let origin = fields.take("origin_domain")
    guard origin.map(isDomain) ?? true else { throw SigningLinkError("Expected a domain as origin_domain.") }
    let signature = try fields.takeSignature()
    guard (origin == nil) == (signature == nil) else {
      throw SigningLinkError("origin_domain and signature go together: what says where it comes from has to prove it.")
    }
    if let name = fields.rest { throw SigningLinkError("The parameter \"\(name)\" is not known.") }
    let unsigned =
      signature == nil ? text : String(text[..<(text.firstRange(of: "&signature=")?.lowerBound ?? text.endIndex)])
    return SigningLink(
      request, callback: callback, message: message, network: network, originDomain: origin, signature: signature,
      chain: [],
      unsignedText: unsigned)
  }

  private static func callback(_ text: String) throws(SigningLinkError) -> String {
    guard text.hasPrefix("url:https://") else {
      throw SigningLinkError("Expected a callback that begins with url:https://.")
    }
    return String(text.dropFirst(4))
  }

  /// Letters, digits, hyphens and points: what a name on the Internet has.
  static func isDomain(_ text: String) -> Bool {
    let labels = text.split(separator: ".", omittingEmptySubsequences: false)
    return text.utf8.count <= 253 && labels.count > 1
      && labels.allSatisfy { label in
        !label.isEmpty && label.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
      }
  }

  private static func transactionRequest(_ fields: inout Fields) throws(SigningLinkError) -> TransactionRequest {
    guard let xdr = fields.take("xdr") else { throw SigningLinkError("Expected a transaction as xdr.") }
    do {
      return TransactionRequest(
        try TransactionEnvelope(base64: xdr), replacements: fields.take("replace"),
        account: try fields.take("pubkey").map { try AccountAddress($0) })
    } catch {
      throw SigningLinkError("\(error)")
    }
  }

  private static func paymentRequest(_ fields: inout Fields) throws(SigningLinkError) -> PaymentRequest {
    guard let destination = fields.take("destination") else { throw SigningLinkError("Expected a destination.") }
    let account: MuxedAccount
    do throws(StrKeyError) {
      account = try MuxedAccount(destination)
    } catch {
      throw SigningLinkError("Expected an account as destination. \(error)")
    }
    let amount = fields.take("amount")
    guard amount == nil || amount.flatMap({ Amount($0) }) != nil else {
      throw SigningLinkError("Expected an amount with up to seven places after the point.")
    }
    return PaymentRequest(
      to: account, amount: amount.flatMap { Amount($0) }, asset: try asset(&fields), memo: try memo(&fields))
  }

  private static func asset(_ fields: inout Fields) throws(SigningLinkError) -> Asset {
    switch (fields.take("asset_code"), fields.take("asset_issuer")) {
    case (nil, nil): return .native
    case (let code?, let issuer?):
      if let issuer = try? AccountAddress(issuer), let asset = Asset(code: code, issuer: issuer) { return asset }
      throw SigningLinkError("Expected an asset's code of 1 to 12 letters or digits, and its issuer's account.")
    default: throw SigningLinkError("asset_code and asset_issuer go together.")
    }
  }

  private static func memo(_ fields: inout Fields) throws(SigningLinkError) -> Memo {
    let memo: Memo? =
      switch (fields.take("memo"), fields.take("memo_type")) {
      case (nil, nil): Memo.none
      case (let text?, "MEMO_TEXT"): Memo.text(text)
      case (let text?, "MEMO_ID"): UInt64(text).flatMap { "\($0)" == text ? .id($0) : nil }
      case (let text?, "MEMO_HASH"): Base64.decode(text).map(Memo.hash)
      case (let text?, "MEMO_RETURN"): Base64.decode(text).map(Memo.returnHash)
      default: nil
      }
    guard let memo, memo.isWellFormed else {
      throw SigningLinkError("Expected a memo of the kind that memo_type says.")
    }
    return memo
  }
}
