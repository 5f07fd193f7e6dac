import Crypto
import Foundation
import OnsideAPI
import StoreAccounts
import StoreWeb
import Testing

@Suite("Access tokens", .timeLimit(.minutes(5)))
struct AccessTokenTests {
  private let tokens = AccessTokenIssuer(key: SymmetricKey(data: [UInt8](repeating: 7, count: 32)))
  private let now = Date(timeIntervalSince1970: 1_780_000_000)

  private var token: String {
    tokens.issue(
      accountID: "a-1", appID: "io.example.lumen", sessionID: "s-1", generation: 7, now: now)
  }

  @Test("A token tells account, app and session until it ends")
  func tells() {
    let claims = tokens.verify(token, now: now.addingTimeInterval(599))
    #expect(claims?.accountID == "a-1")
    #expect(claims?.appID == "io.example.lumen")
    #expect(claims?.sessionID == "s-1")
    #expect(claims?.generation == 7)
    #expect(tokens.verify(token, now: now.addingTimeInterval(600)) == nil)
  }

  @Test("A token shows neither account nor session to the app")
  func sealed() {
    let bytes = Base64URL.decode(token) ?? []
    #expect(bytes.count > 28)
    let text = String(decoding: bytes, as: UTF8.self)
    #expect(!text.contains("a-1") && !text.contains("s-1") && !token.contains("."))
  }

  @Test("A token of a version that did not tell its generation is still good")
  func withoutGeneration() {
    // Made by the first version: `expiry\naccount\nsession\napp`.
    let old =
      "MTc4MDAwMDYwMAphLTEKcy0xCmlvLmV4YW1wbGUubHVtZW4.4R2uaUz09nbHC-SA8CDZZlCsTf0g1SB2vsE69zDVY8o"
    let claims = tokens.verify(old, now: now)
    #expect(claims?.accountID == "a-1" && claims?.appID == "io.example.lumen" && claims?.sessionID == "s-1")
    #expect(claims != nil && claims?.generation == nil)
  }

  @Test("A token with any character changed is refused")
  func altered() {
    let characters = Array(token)
    for index in characters.indices {
      var changed = characters
      changed[index] = changed[index] == "A" ? "B" : "A"
      #expect(tokens.verify(String(changed), now: now) == nil)
    }
  }

  @Test("A token of another key, a part of a token and nonsense are refused")
  func foreign() {
    let other = AccessTokenIssuer(key: SymmetricKey(data: [UInt8](repeating: 8, count: 32)))
    #expect(other.verify(token, now: now) == nil)
    for text in ["", ".", "a.b", String(token.dropLast()), token + "A", token + ".x"] {
      #expect(tokens.verify(text, now: now) == nil)
    }
  }
}
