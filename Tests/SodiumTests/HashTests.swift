import Foundation
import Sodium
import Testing

@Suite("Hashes and derived keys", .timeLimit(.minutes(5)))
struct HashTests {
  @Test("SHA-512 of parts is SHA-512 of the whole")
  func parts() {
    let parts = ["a", "", "bc"].map { SecretBytes(copying: Array($0.utf8)) }
    #expect(Hash.sha512(parts).withBytes(Array.init) == Hash.sha512(Array("abc".utf8)))
    #expect(hex(Hash.sha512(Array("abc".utf8))).hasPrefix("ddaf35a193617abacc417349ae204131"))
    #expect(hex(Hash.sha256(Array("abc".utf8))).hasPrefix("ba7816bf8f01cfea414140de5dae2223"))
  }

  /// RFC 4231, test case 2.
  @Test("HMAC-SHA-512 equals RFC 4231's second case")
  func hmac() {
    let text = ["what do ya want ", "for nothing?"].map { SecretBytes(copying: Array($0.utf8)) }
    let mac = Hash.hmacSHA512(key: SecretBytes(copying: Array("Jefe".utf8)), text)
    #expect(
      hex(mac.withBytes(Array.init))
        == "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
        + "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737")
  }

  @Test("Argon2id refuses a salt of another length, and settings below the least")
  func argon2id() {
    let password = SecretBytes(copying: Array("password".utf8))
    #expect(Argon2id(passes: 1, memory: 8).derive(password, salt: Array(repeating: 1, count: 15), count: 32) == nil)
    #expect(Argon2id(passes: 0, memory: 8).derive(password, salt: Array(repeating: 1, count: 16), count: 32) == nil)
    #expect(Argon2id(passes: 1, memory: 7).derive(password, salt: Array(repeating: 1, count: 16), count: 32) == nil)
    #expect(Argon2id(passes: 1, memory: 8).derive(password, salt: Array(repeating: 1, count: 16), count: 32) != nil)
  }

  private func hex(_ bytes: [UInt8]) -> String { bytes.map { String(format: "%02x", $0) }.joined() }
}
