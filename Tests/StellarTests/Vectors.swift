import Foundation

/// `Vectors/stellar.json`: published and computed data, each group with its source.
struct Vectors: Decodable {
  let strkey: StrKeys
  let secretSeed: Seeds
  let sep5: Words
  let transactions: Transactions
  let muxed: Muxed
  let sep10: WebAuthentication
  let sep7: Links

  struct StrKeys: Decodable {
    let valid: [Valid]
    let invalid: [Invalid]
    struct Valid: Decodable { let strkey, kind, payloadHex: String }
    struct Invalid: Decodable { let strkey, why: String }
  }
  struct Seeds: Decodable {
    let valid: [Valid]
    let invalid: [Invalid]
    struct Valid: Decodable { let seedHex, secret, `public`, publicHex: String }
    struct Invalid: Decodable { let text, why: String }
  }
  struct Words: Decodable {
    let tests: [Case]
    let invalidMnemonics: [Invalid]
    struct Case: Decodable {
      let mnemonic, passphrase, bip39SeedHex, m44148KeyHex: String
      let keys: [Key]
    }
    struct Key: Decodable {
      let index: UInt32
      let `public`, secret: String
    }
    struct Invalid: Decodable { let mnemonic, why: String }
  }
  struct Transactions: Decodable {
    let publicNetworkIdHex, testnetNetworkIdHex, signerSeedHex: String
    let cases: [Case]
    struct Case: Decodable {
      let name, networkPassphrase, unsignedXdr, hashHex, signatureHex, hintHex, signedXdr: String
    }
  }
  struct Muxed: Decodable {
    let cases: [Case]
    struct Case: Decodable { let account, id, muxed: String }
  }
  struct WebAuthentication: Decodable {
    let officialExample: Example
    let computed: Computed
    struct Example: Decodable {
      let challengeXdr, signedXdr, hashHexPublic, hashHexTestnet, serverAccount, clientAccount: String
      let minTime, maxTime: UInt64
    }
    struct Computed: Decodable {
      let now: UInt64
      let networkPassphrase, homeDomain, webAuthDomain, serverAccount, serverSeedHex, clientAccount: String
      let clientSeedHex, clientDomainAccount, nonceText, goodHashHex, goodSignedByBothXdr: String
      let cases: [Case]
      let serverSide: [ServerCase]
    }
    struct Case: Decodable { let name, expected, xdr: String }
    struct ServerCase: Decodable { let name, xdr: String }
  }
  struct Links: Decodable {
    let secret, `public`, unsignedUri, signatureBase64, signedUri: String
    let examples: [String]
  }

  static func load() throws -> Vectors {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Vectors/stellar.json")
    let decoder = JSONDecoder()
    decoder.keyDecodingStrategy = .custom { path in Key(path[path.count - 1].stringValue) }
    return try decoder.decode(Vectors.self, from: Data(contentsOf: file))
  }

  /// `public_hex` is read as `publicHex`; the path `m_44_148` is one word.
  private struct Key: CodingKey {
    let stringValue: String
    let intValue: Int? = nil
    init(_ name: String) {
      let parts = name.replacing("m_44_148", with: "m44148").split(separator: "_")
      stringValue = (parts.prefix(1) + parts.dropFirst().map { Substring($0.capitalized) }).joined()
    }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

func bytes(hex: String) -> [UInt8] {
  stride(from: 0, to: hex.count, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
}

func hex(_ bytes: some Sequence<UInt8>) -> String { bytes.map { String(format: "%02x", $0) }.joined() }
