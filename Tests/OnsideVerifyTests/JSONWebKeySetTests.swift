import Crypto
import Foundation
import OnsideAPI
import OnsideVerify
import Testing

@Suite("Key sets", .timeLimit(.minutes(5)))
struct JSONWebKeySetTests {
  @Test("Keys that ES256 has no use for are left out, and do not spoil the others")
  func tolerant() throws {
    let key = TestKey("good")
    func changed(_ member: String, to value: Any?) -> [String: Any] {
      var jwk: [String: Any] = key.jwk
      jwk["kid"] = "other"
      jwk[member] = value
      return jwk
    }
    let others: [[String: Any]] = [
      ["kty": "RSA", "kid": "rsa", "n": "AQAB", "e": "AQAB"], ["kty": "OKP", "crv": "Ed25519", "kid": "ed", "x": "AA"],
      [:], changed("crv", to: "P-384"), changed("use", to: "enc"), changed("alg", to: "ES384"),
      changed("key_ops", to: ["sign"]), changed("kid", to: nil), changed("kid", to: ""), changed("kid", to: 1),
      changed("x", to: "AA"), changed("y", to: key.jwk["x"]), changed("x", to: "=" + key.jwk["x", default: ""]),
      changed("x", to: Base64URL.encode([UInt8](repeating: 0xff, count: 32))),
    ]
    let keys = try JSONWebKeySet(jwks: try document(others + [key.jwk]))
    #expect(keys.keyIDs == ["good"])
    #expect(code { try JSONWebKeySet(jwks: try document(others)) } == .malformedKeys)
  }

  @Test("A key that says less about itself is a key, too; unknown members do not matter")
  func sparse() throws {
    var jwk: [String: Any] = TestKey("a").jwk
    for member in ["alg", "use"] { jwk[member] = nil }
    jwk["key_ops"] = ["verify"]
    jwk["x5t"] = ["unknown": true]
    let keyIDs = try JSONWebKeySet(jwks: try document([jwk])).keyIDs
    #expect(keyIDs == ["a"])
  }

  @Test("Two keys with one kid are refused, one key twice is not")
  func duplicates() throws {
    let key = TestKey("a")
    let keyIDs = try JSONWebKeySet(jwks: try document([key.jwk, key.jwk])).keyIDs
    #expect(keyIDs == ["a"])
    #expect(code { try JSONWebKeySet(jwks: try document([key.jwk, TestKey("a").jwk])) } == .malformedKeys)
  }

  @Test(
    "What is no key set is refused",
    arguments: ["", "[]", "{}", #"{"keys":[]}"#, #"{"keys":{}}"#, #"{"keys":[null,1,"a",[]]}"#, "<html>", "\u{0}"])
  func malformed(text: String) {
    #expect(code { try JSONWebKeySet(jwks: Data(text.utf8)) } == .malformedKeys)
  }

  @Test("A document that is too large, or nested too deeply, is refused")
  func large() throws {
    let large = try document([TestKey("a").jwk, ["padding": String(repeating: "a", count: 256 << 10)]])
    #expect(code { try JSONWebKeySet(jwks: large) } == .tooLarge)
    let deep = #"{"keys":"# + String(repeating: "[", count: 100_000)
    #expect(code { try JSONWebKeySet(jwks: Data(deep.utf8)) } == .malformedKeys)
  }
}
