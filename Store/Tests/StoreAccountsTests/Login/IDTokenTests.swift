import Crypto
import Foundation
import OnsideAPI
import StoreTestSupport
import Testing

@testable import StoreAccounts

@Suite("What makes an ID token good", .timeLimit(.minutes(5)))
struct IDTokenTests {
  private static let now = Date(timeIntervalSince1970: 1_800_000_000)
  private static let expectation = IDTokenExpectation(
    issuer: "https://id.example", clientID: "store", nonce: "n-1", now: now)
  private static let key = P256.Signing.PrivateKey()
  private static let header: [String: any Sendable] = ["alg": "ES256", "kid": "a", "typ": "JWT"]
  private static let claims: [String: any Sendable] = [
    "iss": "https://id.example", "sub": "ann", "aud": "store", "nonce": "n-1", "iat": 1_799_999_990,
    "exp": 1_800_000_300, "auth_time": 1_799_999_000, "email": "Ann@example.org",
  ]

  private static func set(_ keys: [(String, P256.Signing.PrivateKey)]) -> Data {
    let keys = keys.map { kid, key in
      let point = Array(key.publicKey.rawRepresentation)
      return #"{"kty":"EC","crv":"P-256","kid":"\#(kid)","x":"\#(Base64URL.encode(point[..<32]))","#
        + #""y":"\#(Base64URL.encode(point[32...]))"}"#
    }
    return Data(#"{"keys":[\#(keys.joined(separator: ","))]}"#.utf8)
  }

  private static func read(_ text: String, keys: [(String, P256.Signing.PrivateKey)] = [("a", key)]) async throws
    -> IDTokenClaims
  {
    let keys = try await ProviderKey.keys(in: set(keys))
    return try IDToken(text).claims(expectation, keys: keys)
  }

  private static func fault(
    _ text: String, keys: [(String, P256.Signing.PrivateKey)] = [("a", key)]
  ) async throws -> IDTokenFault? {
    do {
      _ = try await read(text, keys: keys)
      return nil
    } catch let fault as IDTokenFault {
      return fault
    }
  }

  @Test("A token with everything right is taken, its times and its label with it")
  func good() async throws {
    let claims = try await Self.read(TestToken.make(Self.header, claims: Self.claims, key: Self.key))
    #expect(claims.subject == "ann" && claims.authenticatedAt == 1_799_999_000 && claims.label == "a•••@example.org")
    let several = Self.claims.merging(["aud": ["other", "store"], "azp": "store"]) { $1 }
    let audienceCount = try await Self.read(TestToken.make(Self.header, claims: several, key: Self.key)).audience.count
    #expect(audienceCount == 2)
    let bare = Self.header.filter { $0.key == "alg" }
    let fault = try await Self.fault(TestToken.make(bare, claims: Self.claims, key: Self.key))
    #expect(fault == nil)
    // An address that is none labels nothing, and a strange one spoils nothing.
    for email in [7, "no address", ""] as [any Sendable] {
      let strange = Self.claims.merging(["email": email]) { $1 }
      let label = try await Self.read(TestToken.make(Self.header, claims: strange, key: Self.key)).label
      #expect(label == nil)
    }
  }

  struct Change: Sendable, CustomTestStringConvertible {
    let name: String
    var header: [String: any Sendable] = [:]
    var claims: [String: any Sendable] = [:]
    let fault: IDTokenFault
    var testDescription: String { name }
  }

  static let changes: [Change] = [
    Change(name: "alg none", header: ["alg": "none"], fault: .algorithm),
    Change(name: "HS256, as if the public key were a secret", header: ["alg": "HS256"], fault: .algorithm),
    Change(name: "ES384", header: ["alg": "ES384"], fault: .algorithm),
    Change(name: "es256 in other letters", header: ["alg": "es256"], fault: .algorithm),
    Change(name: "RS256 with the name of a key for ES256", header: ["alg": "RS256"], fault: .unknownKey),
    Change(name: "EdDSA with the name of a key for ES256", header: ["alg": "EdDSA"], fault: .unknownKey),
    Change(name: "another key's name", header: ["kid": "b"], fault: .unknownKey),
    Change(name: "an empty name", header: ["kid": ""], fault: .unknownKey),
    Change(name: "a name that is a number", header: ["kid": 7], fault: .notJSON),
    Change(name: "a header that must be understood", header: ["crit": ["exp"]], fault: .criticalHeader),
    Change(name: "an access token", header: ["typ": "at+jwt"], fault: .type),
    Change(name: "another issuer", claims: ["iss": "https://evil.example"], fault: .issuer),
    Change(name: "the issuer with a slash", claims: ["iss": "https://id.example/"], fault: .issuer),
    Change(name: "the issuer in other letters", claims: ["iss": "https://ID.example"], fault: .issuer),
    Change(name: "no issuer", claims: ["iss": NSNull()], fault: .notJSON),
    Change(name: "another audience", claims: ["aud": "other"], fault: .audience),
    Change(name: "a list of others", claims: ["aud": ["other", "third"]], fault: .audience),
    Change(name: "no audience", claims: ["aud": [String]()], fault: .audience),
    Change(
      name: "two audiences and no authorized party", claims: ["aud": ["store", "other"]], fault: .authorizedParty),
    Change(
      name: "two audiences, the other authorized", claims: ["aud": ["store", "other"], "azp": "other"],
      fault: .authorizedParty),
    Change(name: "another authorized party", claims: ["azp": "other"], fault: .authorizedParty),
    Change(name: "another nonce", claims: ["nonce": "n-2"], fault: .nonce),
    Change(name: "no nonce", claims: ["nonce": NSNull()], fault: .nonce),
    Change(name: "an empty nonce", claims: ["nonce": ""], fault: .nonce),
    Change(name: "expired", claims: ["exp": 1_799_999_940], fault: .expired),
    Change(name: "no end", claims: ["exp": NSNull()], fault: .notJSON),
    Change(name: "an end that is a text", claims: ["exp": "1800000300"], fault: .notJSON),
    Change(name: "issued in the future", claims: ["iat": 1_800_000_060], fault: .notYetValid),
    Change(name: "not valid yet", claims: ["nbf": 1_800_000_060], fault: .notYetValid),
    Change(name: "issued long ago", claims: ["iat": 1_799_999_400], fault: .tooOld),
    Change(name: "asked in the future", claims: ["auth_time": 1_800_000_060], fault: .authenticationTime),
    Change(name: "asked at no time at all", claims: ["auth_time": 1e300], fault: .authenticationTime),
    Change(name: "asked before all time", claims: ["auth_time": -1e300], fault: .authenticationTime),
    Change(name: "asked before 1970", claims: ["auth_time": -1], fault: .authenticationTime),
    Change(name: "no subject", claims: ["sub": ""], fault: .subject),
    Change(name: "a long subject", claims: ["sub": String(repeating: "a", count: 256)], fault: .subject),
    Change(name: "a subject that is a number", claims: ["sub": 7], fault: .notJSON),
    Change(name: "too many bytes", claims: ["x": String(repeating: "a", count: 16_384)], fault: .tooLarge),
  ]

  @Test("ACC-9: one thing wrong, and a token signed by the right key is refused for it", arguments: changes)
  func refused(change: Change) async throws {
    let header = Self.header.merging(change.header) { $1 }
    let claims = Self.claims.merging(change.claims) { $1 }.filter { !($0.value is NSNull) }
    let fault = try await Self.fault(TestToken.make(header, claims: claims, key: Self.key))
    #expect(fault == change.fault)
  }

  @Test("A signature of another key, a changed one, and a token that says something else are refused")
  func signature() async throws {
    let good = TestToken.make(Self.header, claims: Self.claims, key: Self.key)
    let parts = good.split(separator: ".").map(String.init)
    let other = TestToken.make(Self.header, claims: Self.claims.merging(["sub": "eve"]) { $1 }, key: Self.key).split(
      separator: ".")
    let fault = try await Self.fault(TestToken.make(Self.header, claims: Self.claims, key: .init()))
    #expect(fault == .signature)
    let secondFault = try await Self.fault("\(parts[0]).\(other[1]).\(parts[2])")
    #expect(secondFault == .signature)
    let thirdFault = try await Self.fault("\(parts[0]).\(parts[1]).")
    #expect(thirdFault == .signature)
    let fourthFault = try await Self.fault(
      "\(parts[0]).\(parts[1]).\(Base64URL.encode([UInt8](repeating: 0, count: 64)))")
    #expect(fourthFault == .signature)
    let fifthFault = try await Self.fault(good, keys: [("a", .init())])
    #expect(fifthFault == .signature)
    let sixthFault = try await Self.fault(good, keys: [])
    #expect(sixthFault == .unknownKey)
    let seventhFault = try await Self.fault(good, keys: [("b", Self.key)])
    #expect(seventhFault == .unknownKey)
    let nameless = TestToken.make(Self.header.filter { $0.key != "kid" }, claims: Self.claims, key: Self.key)
    let eighthFault = try await Self.fault(nameless, keys: [("a", Self.key), ("b", .init())])
    #expect(eighthFault == .unknownKey)
  }

  @Test(
    "What is no token is named so",
    arguments: [
      ("", IDTokenFault.malformed), ("a.b", .malformed), ("a.b.c.d.e", .malformed), ("e30.e30.e30=", .malformed),
      ("e30.e30.", .notJSON), ("W10.e30.", .notJSON), ("bm8.e30.", .notJSON), (" e30.e30.e30", .malformed),
    ])
  func malformed(text: String, fault: IDTokenFault) async throws {
    let actualFault = try await Self.fault(text)
    #expect(actualFault == fault)
  }

  @Test("A name that stands twice is refused in header and claims, also in disguise and further inside")
  func repeated() async throws {
    func token(_ header: String, claims: String) -> String {
      TestToken.make(Data(header.utf8), claims: Data(claims.utf8), key: Self.key)
    }
    let header = #"{"alg":"ES256","kid":"a"}"#
    let claims = String(decoding: try JSONSerialization.data(withJSONObject: Self.claims), as: UTF8.self).dropLast()
    let fault = try await Self.fault(token(header, claims: claims + "}"))
    #expect(fault == nil)
    let secondFault = try await Self.fault(token(#"{"alg":"ES256","alg":"ES256","kid":"a"}"#, claims: claims + "}"))
    #expect(secondFault == .repeatedName)
    let thirdFault = try await Self.fault(token(header, claims: claims + #","sub":"eve"}"#))
    #expect(thirdFault == .repeatedName)
    let fourthFault = try await Self.fault(token(header, claims: claims + #","s\u0075b":"eve"}"#))
    #expect(fourthFault == .repeatedName)
    let fifthFault = try await Self.fault(token(header, claims: claims + #","x":[{"a":1,"b":{"a":1},"a":2}]}"#))
    #expect(fifthFault == .repeatedName)
    let innocent = #","x":[{"a":"sub","b":{"a":"{\"a\":1"}},{"a":["a","a",{"a":[]}]}]}"#
    let sixthFault = try await Self.fault(token(header, claims: claims + innocent))
    #expect(sixthFault == nil)
  }

  @Test("Keys that the store has no use for are left out, and do not spoil the others")
  func keys() async throws {
    let good = Self.set([("a", Self.key)])
    let strange = [
      #"{"kty":"oct","k":"AAAA","kid":"a","alg":"HS256"}"#, #"{"kty":"RSA","n":"AQAB","e":"AQAB","kid":"short"}"#,
      #"{"kty":"EC","crv":"P-256","x":"AA","y":"AA","kid":"b"}"#, #"{"kty":"EC","crv":"P-521","x":"AA","y":"AA"}"#,
      #"{"kty":7}"#, "null", "[]", #"{"use":"enc","kty":"EC","crv":"P-256","x":"AA","y":"AA"}"#,
    ]
    let mixed = String(decoding: good, as: UTF8.self).replacing(
      "[", with: "[" + strange.joined(separator: ",") + ",", maxReplacements: 1)
    let ids = try await ProviderKey.keys(in: Data(mixed.utf8)).map(\.id)
    #expect(ids == ["a"])
    let encrypting = String(decoding: good, as: UTF8.self).replacing(#""kid""#, with: #""use":"enc","kid""#)
    let actualKeys = try await ProviderKey.keys(in: Data(encrypting.utf8))
    #expect(actualKeys.isEmpty)
    let edward = Curve25519.Signing.PrivateKey()
    let published =
      #"{"keys":[{"kty":"OKP","crv":"Ed25519","x":"\#(Base64URL.encode(edward.publicKey.rawRepresentation))"}]}"#
    let keys = try await ProviderKey.keys(in: Data(published.utf8))
    let signed = try [["alg": "EdDSA"], Self.claims].map {
      Base64URL.encode(try JSONSerialization.data(withJSONObject: $0))
    }.joined(separator: ".")
    let token = signed + "." + Base64URL.encode(try edward.signature(for: Data(signed.utf8)))
    let subject = try IDToken(token).claims(Self.expectation, keys: keys).subject
    #expect(subject == "ann")
    await #expect(throws: OpenIDFailure.self) { try await ProviderKey.keys(in: Data("{}".utf8)) }
  }
}
