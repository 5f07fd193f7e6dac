import Foundation
import OnsideAPI
import OnsideWallet
import Sodium
import Stellar
import Testing

@Suite("With Argon2id as it is delivered", .timeLimit(.minutes(5)))
struct RealSettingsTests {
  struct Vectors: Decodable {
    struct Case: Decodable {
      let password_utf8: String
      let salt_hex: String
      let t: Int
      let m_kib: Int
      let out_hex: String
    }
    let cases: [Case]
  }

  @Test("Argon2id equals what argon2-cffi and PyNaCl compute")
  func argon2id() throws {
    let file = try #require(Bundle.module.url(forResource: "Files/argon2id", withExtension: "json"))
    let vectors = try JSONDecoder().decode(Vectors.self, from: Data(contentsOf: file))
    #expect(vectors.cases.count == 6)
    for vector in vectors.cases {
      let result = Argon2id(passes: vector.t, memory: vector.m_kib)
        .derive(
          SecretBytes(copying: vector.password_utf8.utf8), salt: try #require(Hexadecimal.decode(vector.salt_hex)),
          count: 32)
      let expected = try #require(Hexadecimal.decode(vector.out_hex))
      #expect(result?.withBytes(Array.init) == expected)
    }
  }

  @Test("WAL-2 The default settings are 64 MiB and three passes; they open what they closed")
  func realSettings() throws {
    let wallet = try TestWallet(vault: MemoryVault(), settings: WalletSettings(network: .test))
    let address = try wallet.service.signUp(userKeyPair: .random(), pin: "908172")
    let status = try wallet.service.storage.status()
    #expect(status.argon2id == (64, 3))
    let actualAddress = try wallet.restarted().signIn(pin: "908172")
    #expect(actualAddress == address, "the item's own settings count")
    #expect(outcome { try wallet.restarted().signIn(pin: "908173") } == "invalidPin")
  }
}
