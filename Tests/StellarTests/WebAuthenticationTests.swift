import Sodium
import Stellar
import Testing

@Suite("Login with an account (SEP-10)", .timeLimit(.minutes(5)))
struct WebAuthenticationTests {
  let vectors: Vectors.WebAuthentication
  let given: Vectors.WebAuthentication.Computed
  let web: WebAuthentication
  let server: SigningKeyPair
  let client: SigningKeyPair

  init() throws {
    vectors = try Vectors.load().sep10
    given = vectors.computed
    server = try #require(SigningKeyPair(seed: SecretBytes(copying: bytes(hex: given.serverSeedHex))))
    client = try #require(SigningKeyPair(seed: SecretBytes(copying: bytes(hex: given.clientSeedHex))))
    web = try WebAuthentication(
      server: server.account, homeDomain: given.homeDomain, webAuthDomain: given.webAuthDomain,
      network: Network(passphrase: given.networkPassphrase))
  }

  private var nonce: [UInt8] { Base64.decode(given.nonceText) ?? [] }

  @Test("WAL-9: a challenge is built and signed with the vector's bytes, and the server knows who it was")
  func good() throws {
    let start = given.now - 10
    let challenge = try web.challenge(
      for: MuxedAccount(client.account), nonce: nonce, now: start, lifetime: 900, signedBy: server)
    #expect(challenge.envelope.base64 == given.cases[0].xdr)
    #expect(hex(challenge.envelope.transaction.hash(on: web.network)) == given.goodHashHex)
    let signed = try web.sign(given.cases[0].xdr, for: MuxedAccount(client.account), with: client, now: given.now)
    #expect(signed == given.goodSignedByBothXdr)
    let proved = try web.verify(signed, now: given.now)
    #expect(
      proved.client == MuxedAccount(client.account) && proved.nonce == nonce && proved.subject == given.clientAccount)
  }

  /// What the peer leaves open, a challenge without web_auth_domain, is refused here.
  @Test("WAL-9, WAL-11: the client takes every good challenge and refuses every bad one")
  func verdicts() throws {
    #expect(given.cases.count == 22)
    for vector in given.cases {
      if vector.expected == "accept" {
        #expect(throws: Never.self, "\(vector.name)") { try web.read(vector.xdr, now: given.now) }
      } else {
        #expect(throws: WebAuthenticationError.self, "\(vector.name)") { try web.read(vector.xdr, now: given.now) }
        #expect(throws: WebAuthenticationError.self, "\(vector.name)") {
          try web.sign(vector.xdr, for: MuxedAccount(client.account), with: client, now: given.now)
        }
      }
    }
  }

  @Test("WAL-9, WAL-11: the server refuses missing, foreign, unknown and doubled signatures")
  func serverSide() {
    #expect(given.serverSide.count == 4)
    for vector in given.serverSide {
      #expect(throws: WebAuthenticationError.self, "\(vector.name)") { try web.verify(vector.xdr, now: given.now) }
    }
  }

  /// Its text says the public network's passphrase, its signatures are the test network's, and it has no
  /// web_auth_domain.
  @Test("the official example is read, hashed, and refused for what it lacks")
  func official() throws {
    let example = vectors.officialExample
    let envelope = try TransactionEnvelope(base64: example.signedXdr)
    #expect(hex(envelope.transaction.hash(on: .public)) == example.hashHexPublic)
    #expect(hex(envelope.transaction.hash(on: .test)) == example.hashHexTestnet)
    let (server, client) = (try AccountAddress(example.serverAccount), try AccountAddress(example.clientAccount))
    #expect(envelope.isSigned(by: server, on: .test) && !envelope.isSigned(by: server, on: .public))
    #expect(envelope.isSigned(by: client, on: .test))
    let web = try WebAuthentication(
      server: server, homeDomain: "thisisatest.sandbox.anchor.anchordomain.com", webAuthDomain: "example.com",
      network: .test)
    #expect(rule { try web.read(example.challengeXdr, now: example.minTime) } == .domain)
  }

  /// The rule that a challenge breaks; nil if it was taken.
  private func rule(_ body: () throws -> some Any) -> WebAuthenticationError.Rule? {
    do {
      _ = try body()
    } catch let error as WebAuthenticationError {
      return error.rule
    } catch {
      Issue.record(error)
    }
    return nil
  }

  @Test("WAL-11: expired, wrong network, wrong domain, a real transaction: each is refused on both sides by its rule")
  func rules() throws {
    let good = given.goodSignedByBothXdr
    let challenge = given.cases[0].xdr
    let account = MuxedAccount(client.account)
    func both(_ web: WebAuthentication, now: UInt64) -> [WebAuthenticationError.Rule?] {
      [
        rule { try web.sign(challenge, for: account, with: client, now: now) },
        rule { try web.verify(good, now: now) },
      ]
    }
    func other(home: String? = nil, domain: String? = nil, network: Network? = nil) throws -> WebAuthentication {
      try WebAuthentication(
        server: web.server, homeDomain: home ?? web.homeDomain, webAuthDomain: domain ?? web.webAuthDomain,
        network: network ?? web.network)
    }
    #expect(both(web, now: given.now) == [nil, nil])
    #expect(both(web, now: given.now + 891) == [.expired, .expired])
    #expect(both(web, now: given.now - 71) == [.expired, .expired])
    let result = both(try other(network: .public), now: given.now)
    #expect(result == [.server, .server])
    let secondResult = both(try other(home: "example.org"), now: given.now)
    #expect(secondResult == [.domain, .domain])
    let thirdResult = both(try other(domain: "auth.example.org"), now: given.now)
    #expect(thirdResult == [.domain, .domain])
    #expect(rule { try web.read(given.cases[3].xdr, now: given.now) } == .realTransaction)
    #expect(rule { try web.verify(given.cases[3].xdr, now: given.now) } == .realTransaction)
  }

  @Test("a challenge for another account is not signed, nor one with foreign signatures on it")
  func somebodyElse() throws {
    let other = SigningKeyPair.random()
    let challenge = given.cases[0].xdr
    let account = MuxedAccount(client.account)
    #expect(rule { try web.sign(challenge, for: MuxedAccount(other.account), with: other, now: given.now) } == .account)
    #expect(rule { try web.sign(challenge, for: account, with: other, now: given.now) } == .account)
    #expect(rule { try web.sign(challenge, for: account, memo: 1, with: client, now: given.now) } == .account)
    #expect(
      rule { try web.sign(challenge, for: MuxedAccount(client.account, id: 1), with: client, now: given.now) }
        == .account)
    #expect(rule { try web.sign(given.goodSignedByBothXdr, for: account, with: client, now: given.now) } == .signatures)
  }

  @Test("users of one account log in by their number, in the address or as memo, never both")
  func numbers() throws {
    let muxed = MuxedAccount(client.account, id: 5)
    let one = try web.challenge(for: muxed, nonce: nonce, now: 100, signedBy: server)
    let signed = try web.sign(one.envelope.base64, for: muxed, with: client, now: 100)
    let subject = try web.verify(signed, now: 100).subject
    #expect(subject == muxed.text)
    let two = try web.challenge(for: MuxedAccount(client.account), memo: 5, nonce: nonce, now: 100, signedBy: server)
    let other = try web.sign(two.envelope.base64, for: MuxedAccount(client.account), memo: 5, with: client, now: 100)
    let secondSubject = try web.verify(other, now: 100).subject
    #expect(secondSubject == "\(client.account):5")
    #expect(rule { try web.challenge(for: muxed, memo: 5, nonce: nonce, now: 100, signedBy: server) } == .account)
  }

  @Test("a server makes no challenge with another's key, for itself, without 48 bytes, or without an end")
  func impossible() throws {
    let account = MuxedAccount(client.account)
    #expect(rule { try web.challenge(for: account, nonce: nonce, now: 1, signedBy: client) } == .server)
    #expect(
      rule { try web.challenge(for: MuxedAccount(server.account), nonce: nonce, now: 1, signedBy: server) } == .account)
    #expect(rule { try web.challenge(for: account, nonce: [1], now: 1, signedBy: server) } == .malformed)
    #expect(rule { try web.challenge(for: account, nonce: nonce, now: .max, signedBy: server) } == .malformed)
    let long = String(repeating: "a", count: 60)
    #expect(
      rule { try WebAuthentication(server: server.account, homeDomain: long, webAuthDomain: "a", network: .test) }
        == .malformed)
  }

  @Test("one bit of a signed challenge changed is never taken by the server")
  func oneBit() throws {
    let whole = try TransactionEnvelope(base64: given.goodSignedByBothXdr).bytes
    for bit in 0..<(whole.count * 8) {
      var changed = whole
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      let verify = try? web.verify(Base64.encode(changed), now: given.now)
      #expect(verify == nil)
    }
  }
}

@Suite("Signed messages (SEP-53)", .timeLimit(.minutes(5)))
struct SignedMessageTests {
  @Test(
    "equal the standard's second vector",
    arguments: [
      ("こんにちは、世界！", "CDU265Xs8y3OWbB/56H9jPgUss5G9A0qFuTqH2zs2YDgTm+++dIfmAEceFqB7bhfN3am59lCtDXrCtwH2k1GBA==")
    ])
  func otherVectors(message: String, signature: String) throws {
    let pair = try SigningKeyPair(secretText: "SAKICEVQLYWGSOJS4WW7HZJWAHZVEEBS527LHK5V4MLJALYKICQCJXMW")
    #expect(Base64.encode(pair.signature(ofMessage: message)) == signature)
  }

  @Test("equal the standard's first vector, and are of no other message")
  func vectors() throws {
    let pair = try SigningKeyPair(secretText: "SAKICEVQLYWGSOJS4WW7HZJWAHZVEEBS527LHK5V4MLJALYKICQCJXMW")
    let signature = pair.signature(ofMessage: "Hello, World!")
    #expect(
      Base64.encode(signature)
        == "fO5dbYhXUhBMhe6kId/cuVq/AfEnHRHEvsP8vXh03M1uLpi5e46yO2Q8rEBzu3feXQewcQE5GArp88u6ePK6BA==")
    #expect(pair.account.isValid(signature, ofMessage: "Hello, World!"))
    #expect(!pair.account.isValid(signature, ofMessage: "Hello, World") && !pair.account.isValid(signature, of: [1]))
  }
}

@Suite("stellar.toml (SEP-1)", .timeLimit(.minutes(5)))
struct StellarInformationTests {
  let given = StellarInformation(
    signingKey: SigningKeyPair.random().account, webAuthEndpoint: "https://auth.example.com:8443/login?x",
    network: .test)

  @Test("is read as it is written, among other lines")
  func roundTrip() throws {
    let result = try StellarInformation(given.text)
    #expect(result == given)
    let more = "# a comment\n\(given.text)ORG=1\n[[CURRENCIES]]\nSIGNING_KEY=\"another\"\n"
    let secondResult = try StellarInformation(more.replacing("=\"", with: " = \""))
    #expect(secondResult == given)
  }

  @Test("that says a thing twice, not at all or in another form is refused")
  func refused() {
    for name in ["SIGNING_KEY", "WEB_AUTH_ENDPOINT", "NETWORK_PASSPHRASE"] {
      #expect(throws: WebAuthenticationError.self) { try StellarInformation(given.text + "\(name)=\"x\"\n") }
      for bad in ["\"\\q", "\"\"\"", "7 \"", "[\"", "a\"", "\"\u{1}"] {
        #expect(throws: WebAuthenticationError.self, "\(bad)") {
          try StellarInformation(given.text.replacing("\(name)=\"", with: "\(name)=\(bad)"))
        }
      }
    }
    for name in ["SIGNING_KEY", "WEB_AUTH_ENDPOINT"] {
      #expect(throws: WebAuthenticationError.self) { try StellarInformation(given.text.replacing(name, with: "X")) }
    }
  }

  private var documents: [String] {
    let (key, endpoint, passphrase) = (given.signingKey.text, given.webAuthEndpoint, Network.test.passphrase)
    return [
      "SIGNING_KEY='\(key)'\nWEB_AUTH_ENDPOINT = '\(endpoint)' # c\nNETWORK_PASSPHRASE\t=\t'\(passphrase)'",
      #"""
      "SIGNING_KEY" = """
      \#(key)"""
      'WEB_AUTH_ENDPOINT'='''\#(endpoint)'''
      NETWORK_PASSPHRASE="""Test SDF \
         Network ; September 2015"""

      """#,
      #"""
      NETWORK_PASSPHRASE="Test SDF Network \u003b September 2015"
      SIGNING_KEY="\x47\#(key.dropFirst())"
      WEB_AUTH_ENDPOINT="\#(endpoint)"
      [DOC]
      this is not looked at
      """#,
      #"""
      VERSION = "2.0.0" # text
      ACCOUNTS = [ # [ in a comment
        "a]", 'b"', [1, 2.5e3, +inf, 0xff], { x = 1, "y" = ["}"] },
      ]
      since = 1979-05-27 07:32:00Z
      a.b."c d" = true
      INLINE = {}
      TEXT = """
      SIGNING_KEY="another\"
      """""
      SIGNING_KEY="\#(key)"
      WEB_AUTH_ENDPOINT="\#(endpoint)"
      NETWORK_PASSPHRASE="\#(passphrase)"
      [[CURRENCIES]]
      SIGNING_KEY="another"
      """#,
    ]
  }

  @Test("WAL-15: is any TOML: every form of keys and strings, among arrays, tables, numbers, dates and comments")
  func anyTOML() throws {
    for text in documents {
      let result = try StellarInformation(text)
      #expect(result == given, "\(text)")
      let secondResult = try StellarInformation("\u{FEFF}" + text.replacing("\n", with: "\r\n"))
      #expect(secondResult == given, "\(text)")
    }
  }

  private static let noDocuments = [
    "a", "a=", "=1", "a=\"1\" b=2", "a=[1", "a={b=1", "a={b}", "a=\"x", "a='x\n'", "a=\"\"\"x", "a=\"\\ud800\"",
    "a=1\na=2", "a.=1", "a=\"\\", "a=\"\\u12", "a=]", "ä=1", "a=" + String(repeating: "[", count: 100_000),
  ]

  @Test("WAL-15: what is no TOML is refused with its line, and never stops the program", arguments: noDocuments)
  func noTOML(text: String) {
    let error = #expect(throws: WebAuthenticationError.self) { try StellarInformation(given.text + text) }
    #expect(error?.description.contains("stellar.toml, line ") == true, "\(error?.description ?? "")")
  }

  @Test("WAL-15: without a network, the client's own is taken: the server's signature holds for one alone")
  func noNetwork() throws {
    let silent = StellarInformation(
      signingKey: given.signingKey, webAuthEndpoint: given.webAuthEndpoint, network: nil)
    let result = try StellarInformation(silent.text)
    #expect(result == silent)
    let web = try WebAuthentication(homeDomain: "example.com", information: silent, network: .public)
    #expect(web.network == .public)
  }

  @Test("WAL-11: gives the client what it holds against a challenge, for its own network alone")
  func client() throws {
    let web = try WebAuthentication(homeDomain: "example.com", information: given, network: .test)
    #expect(web.server == given.signingKey && web.homeDomain == "example.com")
    #expect(web.webAuthDomain == "auth.example.com:8443" && web.network == .test)
    #expect(throws: WebAuthenticationError.self) {
      try WebAuthentication(homeDomain: "example.com", information: given, network: .public)
    }
  }
}
