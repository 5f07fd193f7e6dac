import DeterministicRandom
import Sodium

@testable import Stellar

/// Random cases with this library's answers. The same seed makes the same cases.
struct PeerCaseMaker {
  private var generator: SeededRandom

  init(seed: UInt64) { generator = SeededRandom(seed: seed) }

  mutating func next(_ number: Int) throws -> PeerCase {
    switch number % 19 {
    case 18: try words()
    case let kind where kind % 6 == 0: .key(try key())
    case let kind where kind % 6 == 1: .transaction(try transaction())
    case let kind where kind % 6 == 2: .challenge(try challenge())
    case let kind where kind % 6 == 3: .link(try link())
    case let kind where kind % 6 == 4: damaged()
    default: .torn(try torn())
    }
  }

  // MARK: Cases

  private mutating func key() throws -> PeerCase.Key {
    let (seed, pair) = try newPair()
    let (id, message) = (random(), random(Int(random() % 200)))
    return PeerCase.Key(
      seed: seed, account: pair.address, secret: pair.withSecret { String(decoding: $0, as: UTF8.self) },
      id: "\(id)", muxed: MuxedAccount(pair.account, id: id).text, message: hex(message),
      signature: hex(pair.signature(ofMessage: message)))
  }

  private mutating func words() throws -> PeerCase {
    let entropy = random(32)
    let words = Mnemonic(
      random: pick([.twelve, .twentyFour]), from: RandomBytes { $0.copyBytes(from: entropy.prefix($0.count)) })
    let (passphrase, index) = (pick(["", text(20)]), UInt32(random() >> 33))
    return .words(
      .init(
        words: words.withWords { String(decoding: $0, as: UTF8.self) }, passphrase: passphrase, index: index,
        account: try words.keyPair(index, passphrase: passphrase).address))
  }

  private mutating func transaction() throws -> PeerCase.Signing {
    let ((seed, pair), network) = (try newPair(), network())
    var envelope = try envelope()
    let unsigned = envelope.base64
    try envelope.sign(with: pair, on: network)
    return PeerCase.Signing(
      seed: seed, network: network.passphrase, unsigned: unsigned, hash: hex(envelope.transaction.hash(on: network)),
      signed: envelope.base64)
  }

  private mutating func challenge() throws -> PeerCase.Challenge {
    let ((_, server), (seed, client)) = (try newPair(), try newPair())
    let web = try WebAuthentication(
      server: server.account, homeDomain: "a\(random() % 1000).example",
      webAuthDomain: "b\(random() % 1000).example:80",
      network: network())
    let account = MuxedAccount(client.account, id: pick([nil, random()]))
    let memo = account.id == nil ? pick([nil, random()]) : nil
    let challenge = try web.challenge(
      for: account, memo: memo, nonce: random(48), now: PeerCase.now - random() % 900, signedBy: server)
    let text = challenge.envelope.base64
    return PeerCase.Challenge(
      seed: seed, client: account.text, memo: memo.map { "\($0)" }, server: server.address, home: web.homeDomain,
      domain: web.webAuthDomain, network: web.network.passphrase, challenge: text,
      signed: try web.sign(text, for: account, memo: memo, with: client, now: PeerCase.now))
  }

  private mutating func link() throws -> PeerCase.Link {
    let ((_, pair), network, message) = (try newPair(), network(), pick([nil, text(300)]))
    let payment = SigningLink.PaymentRequest(
      to: try account(), amount: try pick([nil, amount()]), asset: try asset(), memo: memo())
    let transaction = SigningLink.TransactionRequest(try envelope(), account: pick([nil, pair.account]))
    let link = try SigningLink(
      pick([.payment(payment), .transaction(transaction)]), callback: pick([nil, "https://a.example/?b=c&d"]),
      message: message,
      network: network, originDomain: "shop.example", signedBy: pair)
    return PeerCase.Link(text: link.text, signer: pair.address, network: network.passphrase, message: message)
  }

  private mutating func damaged() -> PeerCase {
    var text = Array((try? account().text) ?? "")
    let place = Int(random() % UInt64(text.count - 1))
    switch random() % 4 {
    case 0: text[place] = pick(Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567018=a "))
    case 1: text.remove(at: place)
    case 2: text.insert(text[place], at: place)
    default: text.swapAt(place, place + 1)
    }
    return .damaged(.init(text: String(text), taken: (try? MuxedAccount(String(text))) != nil))
  }

  private mutating func torn() throws -> PeerCase.Torn {
    var bytes = try envelope().bytes
    for _ in 0...random() % 3 { bytes[Int(random() % UInt64(bytes.count))] ^= 1 << UInt8(random() % 8) }
    let text = Base64.encode(bytes)
    return PeerCase.Torn(
      text: text, network: Network.test.passphrase, again: try? TransactionEnvelope(base64: text).base64)
  }

  // MARK: Parts

  private mutating func envelope() throws -> TransactionEnvelope {
    let end = pick([0, PeerCase.now + random() % 900])
    let operations = try (0...random() % 4).map { _ in Operation(try action(), source: try pick([nil, account()])) }
    return TransactionEnvelope(
      try Transaction(
        source: try account(), fee: UInt32(random() % 1_000_000), sequence: Int64(random() >> 2),
        timeBounds: pick([nil, Transaction.TimeBounds(minimum: pick([0, PeerCase.now]), maximum: end)]), memo: memo(),
        operations: operations))
  }

  private mutating func action() throws -> Operation.Action {
    let issuer = try account().account
    switch random() % 4 {
    case 0: return .payment(to: try account(), try asset(), try amount())
    case 1: return .createAccount(issuer, startingBalance: try amount())
    case 2: return .changeTrust(.init(code: "EUR\(random() % 100_000)", issuer: issuer), limit: try amount())
    default:
      let name = String((0...random() % 64).map { _ in pick(Array("abc XYZ_09~!")) })
      guard let name = Operation.DataName(name) else { throw XDRError("a name") }
      return .manageData(name, value: pick([nil, random(Int(random() % 64 + 1))]))
    }
  }

  private mutating func memo() -> Memo {
    pick([.none, .text(text(8)) ?? .none, .id(random()), .hash(random(32)), .returnHash(random(32))])
  }

  private mutating func asset() throws -> Asset {
    let code = String((0...random() % 12).map { _ in pick(Array("ABCxyz0189")) })
    return pick([.native, Asset(code: code, issuer: try account().account) ?? .native])
  }

  private mutating func amount() throws -> Amount {
    let stroops: Int64 = pick([0, 1, 10_000_000, .max, Int64(random() >> 2)])
    guard let amount = Amount(stroops: stroops) else { throw XDRError("an amount") }
    return amount
  }

  private mutating func account() throws -> MuxedAccount {
    MuxedAccount(try newPair().1.account, id: pick([nil, nil, 0, random()]))
  }

  private mutating func newPair() throws -> (String, SigningKeyPair) {
    let seed = hex(random(32))
    return (seed, try PeerCase.pair(seed))
  }

  private mutating func network() -> Network { pick([.test, .public, Network(passphrase: "Onside ; 1")]) }

  private mutating func text(_ count: Int) -> String {
    String((0..<(1 + random() % UInt64(count - 1))).map { _ in pick(Array("aZ09 &=%+/?#é漢😀\"\\")) })
  }

  private mutating func pick<Value>(_ values: [Value]) -> Value { values[Int(random() % UInt64(values.count))] }

  private mutating func random(_ count: Int) -> [UInt8] { (0..<count).map { _ in UInt8(random() >> 56) } }

  private mutating func random() -> UInt64 { generator.next() }
}
