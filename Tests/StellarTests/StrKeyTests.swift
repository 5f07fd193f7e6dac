import Sodium
import Stellar
import Testing

@Suite("StrKey (SEP-23)", .timeLimit(.minutes(5)))
struct StrKeyTests {
  let vectors: Vectors
  init() throws { vectors = try Vectors.load() }

  @Test("WAL-9: every valid key is read, named and written again")
  func valid() throws {
    let kinds: [String: StrKey.Kind] = [
      "ed25519_public_key": .account, "med25519_public_key": .muxedAccount, "ed25519_signed_payload": .signedPayload,
      "contract": .contract, "liquidity_pool": .liquidityPool, "claimable_balance": .claimableBalance,
    ]
    #expect(vectors.strkey.valid.count == 8)
    for vector in vectors.strkey.valid {
      let key = try StrKey(vector.strkey)
      #expect(key.kind == kinds[vector.kind] && hex(key.payload) == vector.payloadHex, "\(vector.strkey)")
      #expect(key.text == vector.strkey)
    }
  }

  /// Number 15 is one that stellar-sdk takes; the standard refuses it.
  @Test("WAL-9: every invalid key is refused")
  func invalid() {
    #expect(vectors.strkey.invalid.count == 15)
    for vector in vectors.strkey.invalid {
      #expect(throws: StrKeyError.self, "\(vector.why)") { try StrKey(vector.strkey) }
    }
  }

  @Test("WAL-9: secret seeds give their keys, and are written again")
  func seeds() throws {
    #expect(vectors.secretSeed.valid.count == 3)
    for vector in vectors.secretSeed.valid {
      let pair = try SigningKeyPair(secretText: vector.secret)
      #expect(pair.address == vector.public && hex(pair.account.publicKey) == vector.publicHex)
      #expect(hex(pair.seed.withBytes(Array.init)) == vector.seedHex)
      #expect(pair.withSecret { String(decoding: $0, as: UTF8.self) } == vector.secret)
    }
  }

  @Test("WAL-9: every invalid seed is refused")
  func invalidSeeds() {
    #expect(vectors.secretSeed.invalid.count == 13)
    for vector in vectors.secretSeed.invalid {
      #expect(throws: StrKeyError.self, "\(vector.why)") { try SigningKeyPair(secretText: vector.text) }
    }
  }

  @Test("a secret seed is no address, and the error does not repeat it")
  func seedAsAddress() throws {
    let secret = vectors.secretSeed.valid[0].secret
    #expect(throws: StrKeyError.secretSeed) { try StrKey(secret) }
    #expect(throws: StrKeyError.secretSeed) { try AccountAddress(secret) }
    #expect(!StrKeyError.secretSeed.description.contains(secret.dropFirst(1)))
  }

  @Test("WAL-9: muxed addresses hold account and number")
  func muxed() throws {
    for vector in vectors.muxed.cases {
      let muxed = try MuxedAccount(vector.muxed)
      #expect(muxed.account.text == vector.account && muxed.id == UInt64(vector.id))
      #expect(MuxedAccount(muxed.account, id: muxed.id).text == vector.muxed)
      let result = try MuxedAccount(vector.account)
      #expect(result == MuxedAccount(muxed.account))
      #expect(throws: StrKeyError.expected(.account, found: .muxedAccount)) { try AccountAddress(vector.muxed) }
    }
    #expect(throws: StrKeyError.self) { try MuxedAccount(vectors.strkey.valid[5].strkey) }
  }

  @Test("one bit of a key's text changed is never a key", arguments: [0, 1, 3, 7])
  func oneBit(_ number: Int) {
    let text = Array(vectors.strkey.valid[number].strkey.utf8)
    for bit in 0..<(text.count * 8) {
      var changed = text
      changed[bit / 8] ^= 1 << UInt8(bit % 8)
      let result = try? StrKey(String(decoding: changed, as: UTF8.self))
      #expect(result == nil)
    }
  }
}
