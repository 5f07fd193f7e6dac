import Sodium
import Stellar
import Testing

@Suite("Links to sign (SEP-7)", .timeLimit(.minutes(5)))
struct SigningLinkTests {
  let vectors: Vectors.Links
  let pair: SigningKeyPair
  init() throws {
    vectors = try Vectors.load().sep7
    pair = try SigningKeyPair(secretText: vectors.secret)
  }

  @Test("WAL-9: the standard's link has the standard's signature")
  func signature() throws {
    let link = try SigningLink(vectors.signedUri)
    #expect(link.originDomain == "someDomain.com" && link.message == "pay me with lumens")
    #expect(link.signature.map(Base64.encode) == vectors.signatureBase64)
    #expect(link.isSigned(by: pair.account) && pair.address == vectors.public)
    #expect(!link.isSigned(by: SigningKeyPair.random().account) && link.text == vectors.signedUri)
    let signedText = try link.signed(with: pair).text
    #expect(signedText == vectors.signedUri)
  }

  @Test("the standard's examples are read")
  func examples() throws {
    let links = try vectors.examples.map { try SigningLink($0) }
    guard case .transaction(let one) = links[0].request, case .transaction(let two) = links[1].request,
      case .payment(let three) = links[2].request, case .payment(let four) = links[3].request
    else { throw Surprise() }
    #expect(links[0].callback == "https://someSigningService.com/a8f7asdfkjha" && links[0].message == "order number 24")
    #expect(one.account != nil && one.envelope.transaction.operations.count == 1 && one.replacements == nil)
    #expect(two.replacements == "sourceAccount:X;X:account on which to create the trustline" && two.account == nil)
    #expect(
      three.amount == Amount("120.1234567") && three.asset == .native && three.memo == .text(Array("skdjfasf".utf8)))
    #expect(four.asset.issue?.code == "USD" && links[3].network == .public)
  }

  private struct Surprise: Error {}
  private var destination: String { "web+stellar:pay?destination=\(pair.account)" }

  @Test("an origin without a signature, and a signature without an origin, are refused")
  func unsigned() throws {
    #expect(throws: SigningLinkError.self) { try SigningLink(vectors.unsignedUri) }
    let signature = try #require(vectors.signedUri.split(separator: "&").last)
    #expect(throws: SigningLinkError.self) { try SigningLink("\(destination)&\(signature)") }
    #expect(throws: SigningLinkError.self) {
      try SigningLink("\(destination)&origin_domain=a.example&\(signature)&msg=more")
    }
  }

  @Test("a changed link is not signed any more")
  func changed() throws {
    let link = try SigningLink(vectors.signedUri.replacing("120.1234567", with: "920.1234567"))
    #expect(!link.isSigned(by: pair.account))
  }

  @Test("a message has up to 300 characters")
  func message() throws {
    let text = String(repeating: "é", count: 300)
    let request = SigningLink.Request.payment(.init(to: MuxedAccount(pair.account)))
    let message = try SigningLink(request, message: text).message
    #expect(message == text)
    #expect(throws: SigningLinkError.self) { try SigningLink(request, message: text + "a") }
  }

  @Test("up to seven links lead to one")
  func chain() throws {
    let operation = Operation(.createAccount(pair.account, startingBalance: try #require(Amount("1"))))
    let transaction = try Transaction(
      source: MuxedAccount(pair.account), fee: 100, sequence: 1, operations: [operation])
    let request = SigningLink.Request.transaction(.init(TransactionEnvelope(transaction)))
    var link = try SigningLink(request, message: "0")
    for number in 1...7 { link = try SigningLink(request, message: "\(number)", after: link) }
    #expect(link.chain.map(\.message) == (0...6).reversed().map { "\($0)" })
    #expect(throws: SigningLinkError.self) { try SigningLink(request, after: link) }
  }

  @Test(
    "what is no link, or says more than is known, is refused",
    arguments: [
      "", "web+stellar:", "web+stellar:pay", "web+stellar:pay?", "web+stellar:burn?x=1",
      "https://example.com/?destination=G",
      "&amount=1&amount=2", "&amount=1e3", "&amount=-1", "&fee=1", "&msg", "&msg=", "&msg=a+b", "&msg=%", "&msg=%4",
      "&msg=%zz",
      "&msg=%ff", "&msg=é", "&callback=https%3A%2F%2Fa.example", "&callback=url%3Ahttp%3A%2F%2Fa.example",
      "&asset_code=USD",
      "&memo=1", "&memo_type=MEMO_ID", "&memo=01&memo_type=MEMO_ID", "&memo=a&memo_type=MEMO_NONE",
      "&memo=YQ%3D%3D&memo_type=MEMO_HASH", "&memo=aaaaaaaaaaaaaaaaaaaaaaaaaaaaa&memo_type=MEMO_TEXT", "&chain=x",
    ])
  func refused(_ text: String) {
    let text = text.hasPrefix("&") ? destination + text : text
    #expect(throws: SigningLinkError.self) { try SigningLink(text) }
  }

  @Test("what is written is read the same")
  func roundTrip() throws {
    let asset = try #require(Asset(code: "EURT", issuer: pair.account))
    let payment = SigningLink.PaymentRequest(
      to: MuxedAccount(pair.account, id: 3), amount: Amount("1.5"), asset: asset,
      memo: .hash(Array(repeating: 0xfb, count: 32)))
    let link = try SigningLink(
      .payment(payment), callback: "https://a.example/x?y=z&ä", message: "50 % + 1", network: .test,
      originDomain: "shop.example", signedBy: pair)
    #expect(link.isSigned(by: pair.account) && link.request == .payment(payment))
    #expect(link.callback == "https://a.example/x?y=z&ä" && link.message == "50 % + 1" && link.network == .test)
    let result = try SigningLink(link.text)
    #expect(result == link)
  }
}
