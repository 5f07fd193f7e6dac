import Sodium

@testable import Stellar

extension PeerCase {
  /// Whether this library gives the peer's answers.
  func agrees() throws -> Bool {
    switch self {
    case .key(let key): try Self.agrees(key)
    case .words(let words):
      try Mnemonic(text: words.words).keyPair(words.index, passphrase: words.passphrase).address == words.account
    case .transaction(let signing): try Self.agrees(signing)
    case .challenge(let challenge): try Self.agrees(challenge)
    case .link(let link): try Self.agrees(link)
    case .damaged(let damaged): ((try? MuxedAccount(damaged.text)) != nil) == damaged.taken
    case .torn(let torn): Self.agrees(torn)
    }
  }

  private static func agrees(_ key: Key) throws -> Bool {
    let pair = try pair(key.seed)
    let message = bytes(hex: key.message)
    let same = Key(
      seed: key.seed, account: pair.address, secret: pair.withSecret { String(decoding: $0, as: UTF8.self) },
      id: key.id, muxed: MuxedAccount(pair.account, id: UInt64(key.id)).text, message: key.message,
      signature: hex(pair.signature(ofMessage: message)))
    return same == key && pair.account.isValid(bytes(hex: key.signature), ofMessage: message)
  }

  private static func agrees(_ signing: Signing) throws -> Bool {
    let network = Network(passphrase: signing.network)
    var envelope = try TransactionEnvelope(base64: signing.unsigned)
    let isSame = envelope.base64 == signing.unsigned && hex(envelope.transaction.hash(on: network)) == signing.hash
    try envelope.sign(with: pair(signing.seed), on: network)
    return isSame && envelope.base64 == signing.signed
  }

  private static func agrees(_ challenge: Challenge) throws -> Bool {
    let web = try WebAuthentication(
      server: AccountAddress(challenge.server), homeDomain: challenge.home, webAuthDomain: challenge.domain,
      network: Network(passphrase: challenge.network))
    let client = try MuxedAccount(challenge.client)
    let memo = challenge.memo.flatMap { UInt64($0) }
    let signed = try web.sign(challenge.challenge, for: client, memo: memo, with: pair(challenge.seed), now: now)
    let proved = try web.verify(challenge.signed, now: now)
    return signed == challenge.signed && proved.client == client && proved.memo == memo
  }

  private static func agrees(_ link: Link) throws -> Bool {
    let read = try SigningLink(link.text)
    return try read.isSigned(by: AccountAddress(link.signer)) && read.text == link.text && read.message == link.message
      && read.network.passphrase == link.network
  }

  /// What is taken here is taken there, and written the same; here, more is refused.
  private static func agrees(_ torn: Torn) -> Bool {
    guard let envelope = try? TransactionEnvelope(base64: torn.text) else { return true }
    return envelope.base64 == torn.text && torn.again == torn.text
  }
}
