import Sodium
import Stellar
import Testing

@Suite("Transactions", .timeLimit(.minutes(5)))
struct TransactionTests {
  let vectors: Vectors
  let pair: SigningKeyPair
  init() throws {
    vectors = try Vectors.load()
    pair = try #require(SigningKeyPair(seed: SecretBytes(copying: bytes(hex: vectors.transactions.signerSeedHex))))
  }

  @Test("WAL-9: hash and signature equal the vectors', and the envelope is written as it was")
  func signing() throws {
    #expect(hex(Network.public.id) == vectors.transactions.publicNetworkIdHex)
    #expect(hex(Network.test.id) == vectors.transactions.testnetNetworkIdHex)
    #expect(vectors.transactions.cases.count == 7)
    for vector in vectors.transactions.cases {
      let network = Network(passphrase: vector.networkPassphrase)
      var envelope = try TransactionEnvelope(base64: vector.unsignedXdr)
      #expect(envelope.base64 == vector.unsignedXdr && hex(envelope.transaction.hash(on: network)) == vector.hashHex)
      try envelope.sign(with: pair, on: network)
      #expect(envelope.base64 == vector.signedXdr, "\(vector.name)")
      #expect(
        hex(envelope.signatures[0].bytes) == vector.signatureHex && hex(envelope.signatures[0].hint) == vector.hintHex)
      #expect(envelope.isSigned(by: pair.account, on: network))
      #expect(!envelope.isSigned(by: pair.account, on: Network(passphrase: "another")))
      #expect(throws: XDRError.self) { try envelope.sign(with: pair, on: network) }
    }
  }

  /// The envelope of a transaction that has everything.
  private func full() throws -> TransactionEnvelope {
    let other = SigningKeyPair.random().account
    let asset = try #require(Asset(code: "EURT1", issuer: other))
    let one = try #require(Amount("0.0000001"))
    let name = try #require(Operation.DataName("greeting"))
    let issue = try #require(asset.issue)
    var envelope = TransactionEnvelope(
      try Transaction(
        source: MuxedAccount(pair.account, id: 7), fee: 500, sequence: 9, timeBounds: .init(minimum: 1, maximum: 2),
        memo: .text([0xff, 0]),
        operations: [
          Operation(.payment(to: MuxedAccount(other, id: .max), asset, one)),
          Operation(.createAccount(other, startingBalance: one), source: MuxedAccount(other)),
          Operation(.changeTrust(issue, limit: try #require(Amount(stroops: .max)))),
          Operation(.manageData(name, value: [1, 2, 3])), Operation(.manageData(name, value: nil)),
        ]))
    try envelope.sign(with: pair, on: .test)
    return envelope
  }

  @Test("all operations are read as they were written")
  func everything() throws {
    let envelope = try full()
    let result = try TransactionEnvelope(bytes: envelope.bytes)
    #expect(result == envelope)
    let secondResult = try TransactionEnvelope(base64: envelope.base64)
    #expect(secondResult == envelope)
  }

  @Test("a changed bit is refused or another transaction, never the same; a cut one is refused")
  func changed() throws {
    let whole = try full()
    for bit in 0..<(whole.bytes.count * 8) {
      var bytes = whole.bytes
      bytes[bit / 8] ^= 1 << UInt8(bit % 8)
      if let read = try? TransactionEnvelope(bytes: bytes) { #expect(read != whole && read.bytes == bytes) }
    }
    for count in 0..<whole.bytes.count {
      #expect(throws: XDRError.self) { try TransactionEnvelope(bytes: Array(whole.bytes.prefix(count))) }
    }
    #expect(throws: XDRError.self) { try TransactionEnvelope(bytes: whole.bytes + [0, 0, 0, 0]) }
  }

  @Test("base64 has one form", arguments: [" ", "\n", "=", "A"])
  func base64(_ more: String) throws {
    let text = try full().base64
    #expect(throws: XDRError.self) { try TransactionEnvelope(base64: text + more) }
    #expect(throws: XDRError.self) { try TransactionEnvelope(base64: more + text) }
  }

  @Test("the first form, without muxed accounts, is read and signed as the current one")
  func firstForm() throws {
    let current = TransactionEnvelope(
      try Transaction(
        source: MuxedAccount(pair.account), fee: 100, sequence: 1,
        operations: [Operation(.payment(to: MuxedAccount(pair.account), .native, try #require(Amount("1"))))]))
    let bytes = [0, 0, 0, 0] + current.bytes[8...]
    let first = try TransactionEnvelope(bytes: Array(bytes))
    #expect(first.bytes == Array(bytes) && first.transaction.hash(on: .test) == current.transaction.hash(on: .test))
  }

  @Test("fee bumps, other operations and other preconditions are refused by name")
  func refused() throws {
    let bytes = try full().bytes
    func refusal(_ position: Int, _ value: UInt8) -> String {
      var bytes = bytes
      bytes[position] = value
      do { return "\(try TransactionEnvelope(bytes: bytes))" } catch { return "\(error)" }
    }
    #expect(refusal(3, 5).contains("Fee bumps"))
    #expect(refusal(3, 9).contains("envelope of type 9"))
    // Source 44 bytes, fee 4, sequence 8, preconditions.
    #expect(refusal(4 + 44 + 12 + 3, 2).contains("preconditions of type 2"))
    // Time bounds 16, memo 4 + 4 + 4, count, no source.
    #expect(refusal(4 + 44 + 12 + 4 + 16 + 12 + 4 + 4 + 3, 3).contains("Operations of type 3"))
  }

  @Test("what no network takes cannot be made")
  func impossible() throws {
    let source = MuxedAccount(pair.account)
    let name = try #require(Operation.DataName("a"))
    let operation = Operation(.manageData(name, value: nil))
    #expect(throws: XDRError.self) { try Transaction(source: source, fee: 1, sequence: 1, operations: []) }
    #expect(throws: XDRError.self) { try Transaction(source: source, fee: 1, sequence: -1, operations: [operation]) }
    #expect(throws: XDRError.self) {
      try Transaction(source: source, fee: 1, sequence: 1, operations: Array(repeating: operation, count: 101))
    }
    #expect(throws: XDRError.self) {
      try Transaction(source: source, fee: 1, sequence: 1, memo: .hash([1]), operations: [operation])
    }
    #expect(throws: XDRError.self) {
      let long = Operation(.manageData(name, value: Array(repeating: 0, count: 65)))
      return try Transaction(source: source, fee: 1, sequence: 1, operations: [long])
    }
    #expect(Memo.text(String(repeating: "é", count: 15)) == nil && Operation.DataName("") == nil)
    #expect(Asset(code: "", issuer: pair.account) == nil && Asset(code: "ÄB", issuer: pair.account) == nil)
    #expect(Asset(code: "THIRTEENCHARS", issuer: pair.account) == nil)
    #expect(Transaction.TimeBounds(minimum: 2, maximum: 1) == nil && Operation.DataName("a\n") == nil)
  }

  @Test("the summary has a line for each field and operation, and what others wrote cannot mislead the eye")
  func summary() throws {
    let lines = try full().transaction.summary(on: .test)
    #expect(lines[0] == "Network: Stellar's test network" && lines[2] == "Fee: at most 0.00005 XLM")
    #expect(
      lines[4] == "Good: from 1970-01-01T00:00:01Z until 1970-01-01T00:00:02Z" && lines[5] == "Memo: text bytes ff00")
    #expect(lines.count == 11 && lines[6].hasPrefix("1. Pay 0.0000001 EURT1 of G"))
    #expect(lines[1].hasPrefix("Account: M") && lines[3] == "Sequence number: 9")
    for (line, words) in [(7, "0.0000001 XLM"), (8, "EURT1"), (9, "greeting")] {
      #expect(lines[line].hasPrefix("\(line - 5). ") && lines[line].contains(words), "\(lines[line])")
    }
    #expect(lines[10] == "5. Take away the data \"greeting\"")
    let tricky = try Transaction(
      source: MuxedAccount(pair.account), fee: 1, sequence: 1, memo: try #require(Memo.text("a\u{202E}b\n\"")),
      operations: [Operation(.manageData(try #require(Operation.DataName("x")), value: [1]))])
    #expect(tricky.summary(on: .public).contains("Memo: text \"a\\u{202e}b\\u{a}\\\"\""))
  }

  @Test("WAL-14: a login challenge says first that it is one, and for which domain; a real transaction does not")
  func login() throws {
    let server = SigningKeyPair.random()
    let rules = try WebAuthentication(
      server: server.account, homeDomain: "other.example", webAuthDomain: "auth.other.example", network: .test)
    let challenge = try rules.challenge(
      for: MuxedAccount(pair.account), nonce: Array(0..<48), now: 100, signedBy: server)
    let transaction = challenge.envelope.transaction
    #expect(transaction.loginDomain == "other.example")
    let first = try #require(transaction.summary(on: .test).first)
    #expect(first.hasPrefix("LOGIN to \"other.example\" (SEP-10)") && first.contains(pair.address))
    let real = try Transaction(
      source: MuxedAccount(pair.account), fee: 1, sequence: 1, operations: transaction.operations)
    #expect(real.loginDomain == nil && real.summary(on: .test).first?.hasPrefix("Network") == true)
    let proof = try Transaction(
      source: MuxedAccount(pair.account), fee: 1, sequence: 0,
      operations: [Operation(.manageData(try #require(Operation.DataName("x")), value: [1]))])
    #expect(proof.loginDomain == nil && proof.summary(on: .test).first?.hasPrefix("NO PAYMENT") == true)
  }

  @Test(
    "WAL-14: what has no shape of its own is written out",
    arguments: [
      ("pay\u{202E}lla", #"pay\u{202e}lla"#), ("a\u{200B}b", #"a\u{200b}b"#),
      ("a\u{2066}b\u{2069}", #"a\u{2066}b\u{2069}"#),
      ("a\u{FEFF}b", #"a\u{feff}b"#), ("a\u{3164}b", #"a\u{3164}b"#), ("a\u{FE0F}b", #"a\u{fe0f}b"#),
      ("a\u{34F}b", #"a\u{34f}b"#), ("a\u{2800}b", #"a\u{2800}b"#), ("a\u{A0}b", #"a\u{a0}b"#),
      ("\u{301}a", #"\u{301}a"#), ("a\r\nb\tc", #"a\u{d}\u{a}b\u{9}c"#), ("a\u{1B}[2Jb", #"a\u{1b}[2Jb"#),
      ("Grüße, 世界 \u{1F44D}", "Grüße, 世界 \u{1F44D}"), ("cafe\u{301}", "cafe\u{301}"), ("\"\\", #"\"\\"#),
    ])
  func legible(text: String, shown: String) {
    #expect(Array(Legible.quoted(Array(text.utf8)).unicodeScalars) == Array("\"\(shown)\"".unicodeScalars))
  }
}

@Suite("Amounts", .timeLimit(.minutes(5)))
struct AmountTests {
  @Test(
    "are read exactly and written without needless zeros",
    arguments: [
      ("0", 0, "0"), ("1", 10_000_000, "1"), ("120.1234567", 1_201_234_567, "120.1234567"), ("0.10", 1_000_000, "0.1"),
      ("0.0000001", 1, "0.0000001"), ("922337203685.4775807", Int64.max, "922337203685.4775807"),
    ])
  func exact(_ text: String, stroops: Int64, written: String) {
    #expect(Amount(text)?.stroops == stroops && Amount(text)?.description == written)
  }

  @Test(
    "that are not numbers, too fine or too large are refused",
    arguments: [
      "", ".", "1.", ".5", "-1", "+1", "1e3", " 1", "1 ", "1,5", "0.12345678", "00", "01", "1.2.3", "٣", "NaN",
      "922337203685.4775808", "9999999999999", "1000000000000",
    ])
  func refused(_ text: String) { #expect(Amount(text) == nil) }

  @Test("are never negative")
  func negative() { #expect(Amount(stroops: -1) == nil) }
}
